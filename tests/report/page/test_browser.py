"""The page in a browser: opened from disk, without an error, without a request that leaves the folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from planbench_xl.world import World
from tests.report.page.conftest import HOSTILE, HUGE

pytestmark = pytest.mark.browser

WAIT = 20_000


class Opened:
    """A page that is open, and what went wrong on it."""

    def __init__(self, page: Any, index: Path) -> None:
        self.page = page
        self.index = index.as_uri()
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(WAIT)
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: (self.problems.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))

    def go(self, address: str = "#/") -> Any:
        """Open an address of the page, and wait until it is drawn."""
        self.page.goto("about:blank")
        self.page.goto(self.index + address)
        self.page.wait_for_selector("main h1")
        return self.page


@pytest.fixture
def opened(browser: Any, folder: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    options = getattr(request, "param", {"viewport": {"width": 1400, "height": 900}})
    context = browser.new_context(**options)
    opened = Opened(context.new_page(), folder / "index.html")
    yield opened
    assert opened.problems == []
    foreign = [url for url in opened.requests if not url.startswith((folder.as_uri() + "/", "about:"))]
    assert foreign == []
    assert opened.page.evaluate("window.pwned") is None
    context.close()


def episode(label: str, query: str = "library_query_06", epoch: int = 0, **more: Any) -> str:
    """Return the address of an episode."""
    parameters = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in more.items() if name != "beside")
    if "beside" in more:
        parameters += "&with=" + quote(more["beside"], safe="")
    return f"#/episode/{quote(label, safe='')}/{query}/{epoch}?{parameters}"


def test_the_table_sorts(opened: Opened) -> None:
    page = opened.go()
    first = page.locator("main table").first
    labels = lambda: first.locator("tbody th").all_inner_texts()  # noqa: E731
    accuracies = lambda: [float(t.strip("*")) for t in first.locator("td:nth-child(4) .value").all_inner_texts()]  # noqa: E731
    assert labels()[0] == "oracle-default" and len(labels()) == 6
    head = first.get_by_role("button", name="Acc %")
    head.click()
    assert accuracies() == sorted(accuracies(), reverse=True)
    assert first.locator("th[aria-sort=descending]").count() == 1
    head.press("Enter")
    assert accuracies() == sorted(accuracies())
    first.get_by_role("button", name="Run").click()
    assert [label for label in labels() if "⟦" not in label] == sorted(label for label in labels() if "⟦" not in label)


def test_from_the_overview_to_an_episode(opened: Opened) -> None:
    page = opened.go()
    page.get_by_role("link", name="random", exact=True).first.click()
    page.wait_for_function("location.hash === '#/model/random'")
    page.get_by_role("link", name="random-default", exact=True).first.click()
    page.wait_for_selector("ul.classes")
    page.locator("ul.classes a").last.click()
    page.wait_for_function("location.hash.includes('/class/')")
    page.wait_for_selector("#episodes .tag")
    chosen = page.locator("#episodes .tag").inner_text()
    rows = page.locator("main table tbody tr")
    assert rows.count() > 0 and all(chosen in text for text in rows.all_inner_texts())
    page.locator("main table tbody th a").first.click()
    page.wait_for_selector("svg.graph")
    assert page.locator("h3").first.inner_text().startswith("Turn 1 of ")
    page.keyboard.press("u")
    page.wait_for_function("location.hash === '#/run/random-default'")


def test_slider_strip_and_keys(opened: Opened) -> None:
    page = opened.go(episode("oracle-one-path", turn=2))
    head, slider = page.locator(".panel h3"), page.get_by_role("slider")
    assert head.inner_text().startswith("Turn 2 of") and slider.input_value() == "2"
    page.keyboard.press("ArrowRight")
    assert head.inner_text().startswith("Turn 3 of") and page.url.endswith("?turn=3")
    assert "Turn 3:" in slider.get_attribute("aria-valuetext")
    page.keyboard.press("End")
    last = int(slider.get_attribute("max"))
    assert head.inner_text().startswith(f"Turn {last} of {last}: answer")
    assert page.locator(".checks .yes").count() == 3
    page.keyboard.press("Home")
    assert head.inner_text().startswith("Turn 1 of")
    slider.focus()
    slider.press("ArrowRight")
    assert head.inner_text().startswith("Turn 2 of")
    page.locator(".step").nth(3).click()
    assert head.inner_text().startswith("Turn 4 of") and page.locator(".step[aria-current]").inner_text() != ""
    page.keyboard.press("j")
    page.wait_for_function("!location.hash.includes('library_query_06')")
    page.wait_for_selector("svg.graph")
    page.keyboard.press("k")
    page.wait_for_function("location.hash.includes('library_query_06')")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.keyboard.press("Escape")


def test_the_walk_on_the_graph(opened: Opened, mini: World) -> None:
    page = opened.go(episode("oracle-one-path", turn=999))
    solution = mini.task["library_task_04"].solution
    labels = [node.get_attribute("aria-label") for node in page.locator("svg.graph g.tool.progress").all()]
    assert len(labels) >= mini.task["library_task_04"].shortest_length
    assert all(re.search(r"found in turn \d+.*turn \d+: call, progress", label) for label in labels)
    assert page.locator("g.datatype.target.obtained").count() == 1
    assert page.locator("g.tool.blocked .strike").count() == page.locator("g.tool.blocked").count() > 0
    assert page.locator("g.tool").count() >= len(solution)
    blocked = page.locator("g.tool.blocked").first
    blocked.focus()
    assert "In its place a search shows:" in page.locator(".detail").inner_text()
    page.keyboard.press("Home")
    assert page.locator("g.tool.progress").count() == 0 and page.locator("g.datatype.target.open").count() == 1


def test_a_turn_in_words(opened: Opened) -> None:
    page = opened.go(episode("stray", turn=1))
    text = page.locator(".panel").inner_text()
    assert "Searched for" in text and re.search(r"What came back: \d+ tools", text) and "Response" in text
    signs = page.locator(".panel .group summary .role").all()
    assert {sign.get_attribute("aria-label") for sign in signs} >= {"Executable", "Distractor"}
    page.keyboard.press("ArrowRight")
    assert "Refused" in page.locator(".panel h3").inner_text()
    assert "Not yet obtained:" in page.locator(".panel").inner_text()
    page.keyboard.press("End")
    assert "✗ the judge refuses it" in page.locator(".panel").inner_text()
    page = opened.go(episode("oracle-default", turn=999))
    page.locator(".calls button").last.click()
    assert page.locator(".panel .value.trusted").count() == 1


def test_two_side_by_side(opened: Opened) -> None:
    page = opened.go(episode("oracle-one-path", turn=2, beside="oracle-default"))
    heads = page.locator(".panel h3")
    assert [text[:6] for text in heads.all_inner_texts()] == ["Turn 2", "Turn 2"]
    page.keyboard.press("ArrowRight")
    assert [text[:6] for text in heads.all_inner_texts()] == ["Turn 3", "Turn 3"]
    assert "turn=3" in page.url and "with=oracle-default" in page.url
    page.get_by_label("Move both").uncheck()
    page.get_by_role("slider").nth(1).fill("1")
    assert [text[:6] for text in heads.all_inner_texts()] == ["Turn 3", "Turn 1"]
    boxes = [view.bounding_box() for view in page.locator(".view").all()]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
    page.get_by_label("Beside").select_option("nothing")
    page.wait_for_function("document.querySelectorAll('.view').length === 1")


def test_hostile_text_stays_text(opened: Opened) -> None:
    page = opened.go()
    assert "⟦U+202E⟧" in page.locator("main").inner_text()
    page = opened.go("#/run/" + quote(HOSTILE, safe=""))
    assert page.locator("main h1").inner_text().startswith("</script><script>window.pwned = 1</script><img src=x")
    assert "time_out" in page.locator("main .notes").inner_text()
    for turn in range(1, 6):
        page = opened.go(episode(HOSTILE, turn=turn))
        shown = page.locator("main").inner_text()
        assert "⟦U+202E⟧⟦U+2066⟧⟦U+200B⟧⟦U+2028⟧⟦U+2029⟧⟦U+0000⟧⟦U+FEFF⟧⟦U+E0041⟧" in shown
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u2028]", shown)
        assert page.locator("main script, main img, main iframe, main [onerror], main [onload]").count() == 0
    assert page.evaluate("({}).polluted") is None


def test_a_request_is_laid_out_digit_for_digit(opened: Opened) -> None:
    page = opened.go(episode(HOSTILE, turn=3))
    text = page.locator(".panel pre").last.inner_text()
    assert '\n    "__proto__": {\n      "polluted": true\n    },\n' in text
    assert f'\n    "big": {2**70}\n  }}\n}}' in text


def test_huge_text_is_folded(opened: Opened) -> None:
    page = opened.go(episode(HOSTILE, turn=4))
    block = page.locator(".panel pre").first
    assert len(block.inner_text()) < 2_000
    page.get_by_role("button", name=f"Show all {HUGE:,} characters").click()
    assert f"cut: {HUGE:,} characters in all" in block.inner_text()
    assert block.bounding_box()["height"] < 600


@pytest.mark.parametrize(
    "address",
    ["#/run/none", "#/episode/none/q/0", "#/episode/stray/none/0", "#/model/none", "#/none", "#/run/%ff", "#/episode/"],
)
def test_wrong_addresses(opened: Opened, address: str) -> None:
    page = opened.go(address)
    assert page.locator("main h1").inner_text().startswith("No such")


CONTRAST = """() => {
  const rgb = (text) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    const layers = [];
    for (let one = node; one; one = one.parentElement) {
      const color = rgb(getComputedStyle(one).backgroundColor);
      if (color[3]) layers.push(color);
      if (color[3] === 255) break;
    }
    return layers.reverse().reduce((below, [r, g, b, a]) =>
      [r, g, b].map((v, i) => (v * a) / 255 + below[i] * (1 - a / 255)), [255, 255, 255]);
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility() || node instanceof SVGElement) continue;
    if (node.closest(".hidden, #tip, [aria-disabled]") || getComputedStyle(node).fontSize === "0px") continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${node.className} ${walker.currentNode.textContent.slice(0, 40)}`);
  }
  return poor;
}"""

NAMELESS = """() => [...document.querySelectorAll("a, button, input, select, summary, [role=img], [tabindex='0']")]
  .filter((node) => node.checkVisibility() && !(node.textContent.trim() || node.getAttribute("aria-label")
    || node.labels?.length || node.querySelector("img[alt]:not([alt=''])")))
  .map((node) => node.outerHTML.slice(0, 120))"""

SCREENS = [
    {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    for width in (1400, 390)
    for scheme in ("light", "dark")
]


@pytest.mark.parametrize(
    "opened", SCREENS, indirect=True, ids=lambda o: f"{o['viewport']['width']}-{o['color_scheme']}"
)
def test_contrast_names_and_fit(opened: Opened) -> None:
    addresses = ["#/", "#/run/random-one-path", episode("oracle-one-path", turn=5, beside="stray")]
    for address in [*addresses, episode("stray", turn=2)]:
        page = opened.go(address)
        assert page.evaluate(CONTRAST) == [], address
        assert page.evaluate(NAMELESS) == [], address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


def test_light_and_dark(opened: Opened) -> None:
    page = opened.go()
    ground = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    light = ground()
    page.locator("#theme").click()
    assert ground() != light
    page = opened.go()
    assert ground() != light, "the choice lasts"


def test_figures_are_links_with_tooltips(opened: Opened) -> None:
    page = opened.go("#/run/random-default")
    part = page.locator("svg.stack a").first
    part.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.get_by_role("tooltip").inner_text() == part.get_attribute("data-tip")
    page.keyboard.press("Escape")
    assert page.get_by_role("tooltip").count() == 0
    page.mouse.move(0, 0)
    part.press("Enter")
    page.wait_for_function("location.hash.includes('/class/')")


def test_served(browser: Any, folder: Path) -> None:
    import threading

    from planbench_xl.report.page.serving import PageServer

    with PageServer(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.goto(server.url + episode("oracle-default", turn=2))
        page.wait_for_selector("svg.graph")
        page.close()
        server.shutdown()
    assert problems == []
