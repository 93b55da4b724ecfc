from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.audit import Level, audit
from planbench_xl.construct import Domain, Knobs, Recipe, build_world, load_domain
from planbench_xl.construct.asking import REJECTIONS, SHOWN, Asker, Item, Sheet
from planbench_xl.construct.completion import Completer, Prompt, guide
from planbench_xl.construct.errors import CompletionError
from planbench_xl.construct.model_writer import Business, ModelWriter, Text, message_of
from planbench_xl.construct.models import Models, estimate
from planbench_xl.world import FAILING_KINDS, World, save_world
from planbench_xl.world.storage import encode_lines
from tests.construct.scripted import Reply, Scripted, answers, good, question


@pytest.fixture(scope="module")
def by_model(recipe: Recipe) -> Recipe:
    return msgspec.structs.replace(recipe, writer="scripted/model")


def build(domain: Domain, recipe: Recipe, model: Completer, stages: Path | None = None) -> tuple[World, Asker]:
    writer = ModelWriter(Asker(model))
    return build_world(domain, recipe, stages=stages, model_writer=writer), writer.asker


def rewritten(world: World) -> World:
    """Return a world without what a writer may change."""
    tools = tuple(
        msgspec.structs.replace(
            tool, description="", return_value="" if tool.kind in FAILING_KINDS else tool.return_value
        )
        for tool in world.tools
    )
    queries = tuple(msgspec.structs.replace(query, text="") for query in world.queries)
    return msgspec.structs.replace(world, tools=tools, queries=queries, recipe=None)


@pytest.fixture(scope="module")
def written(tiny: Domain, by_model: Recipe) -> tuple[World, Asker]:
    return build(tiny, by_model, Scripted(good))


def test_a_model_writes_every_text_and_nothing_else(written: tuple[World, Asker], world: World) -> None:
    found, asker = written
    assert all(tool.description.startswith("In short: ") for tool in found.tools)
    assert all(message_of(t.return_value).startswith("fault: ") for t in found.tools if t.kind in FAILING_KINDS)
    assert all(query.text.startswith("Hello there! ") for query in found.queries)
    assert rewritten(found).fingerprint == rewritten(world).fingerprint
    failing = sum(tool.kind in FAILING_KINDS for tool in world.tools)
    assert asker.tally.asked == asker.tally.accepted == len(world.tools) + failing + len(world.queries)
    assert asker.rejections == []
    assert found.recipe is not None and found.recipe["writer"] == "scripted/model"


def test_messages_keep_the_form_of_what_is_returned(written: tuple[World, Asker], world: World) -> None:
    def form(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: form(part) for name, part in value.items()}
        return [form(part) for part in value] if isinstance(value, list | tuple) else type(value)

    assert [form(tool.return_value) for tool in written[0].tools] == [form(tool.return_value) for tool in world.tools]


def test_the_world_is_as_sound_as_one_by_the_templates(written: tuple[World, Asker]) -> None:
    assert not audit(written[0]).at_least(Level.WARNING)


def test_prompts_are_few_and_hold_no_internal_name(tiny: Domain, by_model: Recipe, world: World) -> None:
    model = Scripted(good)
    build(tiny, by_model, model)
    kinds = Counter(prompt.id.partition("/")[0] for prompt in model.asked)
    assert kinds == {"tools": len(world.executable), "queries": 2}
    names = [name for name in world.datatype if "_" in name]
    assert not [name for prompt in model.asked for name in names if name in prompt.user + prompt.system]
    assert [entry.calls for entry in estimate(tiny, by_model)] == [dict(kinds)]


def spoil(words: str, first_attempts: int) -> Reply:
    """Reply well, except that the first item of every prompt says something wrong for some attempts."""

    def reply(prompt: Prompt) -> str:
        found = answers(prompt)
        if prompt.attempt < first_attempts and found[0]["id"] == "1":
            found[0]["text"] += words
        return json.dumps({"items": found})

    return reply


def test_a_refused_text_is_asked_for_again_with_the_reason(tiny: Domain, by_model: Recipe, tmp_path: Path) -> None:
    model = Scripted(spoil(" It beats the baseline.", 1))
    found, asker = build(tiny, by_model, model, tmp_path)
    assert all("baseline" not in tool.description for tool in found.tools)
    assert asker.tally.accepted == asker.tally.asked
    again = [prompt for prompt in model.asked if prompt.attempt == 1]
    assert len(again) == asker.tally.rejected == len(found.executable) + 2
    for prompt in again:
        (item,) = question(prompt)["items"]
        (refused,) = item["refused"]
        assert "It beats the baseline." in refused["answer"]
        assert refused["reason"] == "says 'baseline', words that are never used"
    lines = [json.loads(line) for line in (tmp_path / REJECTIONS).read_text().splitlines()]
    assert {line["final"] for line in lines} == {False}
    assert {line["kind"] for line in lines} == {"tools", "queries"}
    names = {tool.name for tool in found.tools} | {query.query_id for query in found.queries}
    assert {line["about"].rpartition(" of ")[2] for line in lines} <= names


def test_after_three_refusals_the_templates_text_stays(tiny: Domain, by_model: Recipe, world: World) -> None:
    model = Scripted(spoil(" It beats the baseline.", 9))
    found, asker = build(tiny, by_model, model)
    tools = list(zip(world.tools, found.tools, strict=True))
    kept_texts = sum(before.description == after.description for before, after in tools)
    kept_texts += sum(
        before.return_value == after.return_value for before, after in tools if after.kind in FAILING_KINDS
    )
    assert kept_texts == len(world.executable)
    kept = [query for query, other in zip(world.queries, found.queries, strict=True) if query.text == other.text]
    assert len(kept) == 2
    lost = len(world.executable) + 2
    assert asker.tally.asked - asker.tally.accepted == lost
    assert asker.tally.rejected == 3 * lost
    assert sum(rejection.final for rejection in asker.rejections) == lost


BAD = {
    "no JSON at all": "the reply holds no JSON object",
    '{"items": [': "the reply holds no JSON object",
    '{"items": [}': "doesn't have the form asked for: JSON is malformed",
    '{"items": [{"id": 1, "text": "x"}]}': "doesn't have the form asked for: Expected `str`, got `int`",
    '{"texts": []}': "doesn't have the form asked for: Object missing required field `items`",
    '{"items": []}': "the reply has no item '1'",
    '{"items": ' + "[" * 100_000 + "}": "doesn't have the form asked for",
}


@pytest.mark.parametrize("reply", BAD, ids=range(len(BAD)))
def test_a_reply_that_can_not_be_read_is_refused(reply: str) -> None:
    asker = Asker(Scripted(lambda prompt: reply))
    sheet = Sheet("tools/x", Business("shop"), [Item("a text", Business("x"), lambda answer: "")])
    assert asker.ask(guide("tools"), Text, [sheet]) == [[None]]
    assert [rejection.attempt for rejection in asker.rejections] == [1, 2, 3]
    assert BAD[reply] in asker.rejections[0].reason


def test_a_model_that_never_replies_in_form_leaves_the_templates_texts(
    tiny: Domain, by_model: Recipe, world: World
) -> None:
    found, asker = build(tiny, by_model, Scripted(lambda prompt: "I can't do that."))
    assert found.fingerprint == world.fingerprint
    assert asker.tally.accepted == 0


def test_words_around_the_json_are_passed_over(tiny: Domain, by_model: Recipe, written: tuple[World, Asker]) -> None:
    model = Scripted(lambda prompt: f"<think>hm</think>\n```json\n{good(prompt)}\n```")
    assert build(tiny, by_model, model)[0].fingerprint == written[0].fingerprint


def test_nothing_is_written_twice(tiny: Domain, by_model: Recipe, world: World) -> None:
    """A model that copies another tool's draft is refused, so that the draft can stay."""
    stolen = world.executable[1].description

    def reply(prompt: Prompt) -> str:
        found = answers(prompt)
        for entry in found:
            entry["text"] = stolen if prompt.id == f"tools/{world.executable[1].name}" else entry["text"]
        return json.dumps({"items": found})

    found, _ = build(tiny, by_model, Scripted(reply))
    assert max(Counter(tool.description.casefold() for tool in found.tools).values()) == 1
    assert found.executable[1].description == stolen


def test_long_answers_are_cut_in_the_list_of_rejections() -> None:
    asker = Asker(Scripted(lambda prompt: json.dumps({"items": [{"id": "1", "text": "long" * 1000}]})))
    asker.ask(
        guide("tools"), Text, [Sheet("tools/x", Business("shop"), [Item("a text", Business("x"), lambda _: "no")])]
    )
    assert {len(rejection.answer) for rejection in asker.rejections} == {SHOWN}


def folder_of(world: World) -> bytes:
    return encode_lines(world.tools) + encode_lines(world.queries)


def test_a_second_build_asks_nothing_and_gives_the_same_bytes(tiny: Domain, by_model: Recipe, tmp_path: Path) -> None:
    def once(name: str, model: Scripted) -> list[Any]:
        models = Models(by_model, tmp_path / "replies", lambda name: model)
        world = build_world(tiny, by_model, stages=tmp_path / name / "stages", model_writer=models.writer)
        save_world(world, tmp_path / name)
        return list(models.report())

    (first,) = once("one", Scripted(spoil(" Beats the baseline.", 2)))
    silent = Scripted(lambda prompt: pytest.fail("asked again"))
    (second,) = once("two", silent)
    assert silent.asked == []
    assert (second.calls, second.remembered) == (0, first.calls)
    assert second.tally == first.tally
    names = [path.name for path in (tmp_path / "one").iterdir() if path.is_file()] + [f"stages/{REJECTIONS}"]
    assert len(names) == 8
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_a_build_that_a_model_broke_off_asks_only_for_what_is_missing(
    tiny: Domain, by_model: Recipe, tmp_path: Path, written: tuple[World, Asker]
) -> None:
    calls = 0

    def break_off(prompt: Prompt) -> str:
        nonlocal calls
        calls += 1
        if calls > 20:
            raise CompletionError("Model 'scripted/model' failed: no credit left.")
        return good(prompt)

    with pytest.raises(CompletionError, match="no credit left"):
        models = Models(by_model, tmp_path, lambda name: Scripted(break_off))
        build_world(tiny, by_model, stages=tmp_path, model_writer=models.writer)
    again = Scripted(good)
    models = Models(by_model, tmp_path, lambda name: again)
    world = build_world(tiny, by_model, stages=tmp_path, model_writer=models.writer)
    assert folder_of(world) == folder_of(written[0])
    (part,) = models.report()
    assert part.remembered == 20
    assert len(again.asked) == part.calls == len(world.executable) + 2 - 20
    assert str(part).startswith(f"Writer 'scripted/model' wrote {part.tally.asked} of {part.tally.asked} texts; ")


def test_progress_counts_replies_of_all_rounds() -> None:
    told: list[tuple[int, int]] = []
    item = Item("a text", Business("x"), lambda answer: "")
    sheets = [Sheet(f"tools/{number}", Business("shop"), [item]) for number in range(2)]
    replies = {"tools/0": '{"items": [{"id": "1", "text": "x"}]}', "tools/1": "nothing"}
    asker = Asker(Scripted(lambda prompt: replies[prompt.id]))
    asker.ask(guide("tools"), Text, sheets, lambda *step: told.append(step))
    assert told == [(1, 2), (2, 2), (3, 3), (4, 4)]


def test_the_message_in_a_value_is_its_longest_text() -> None:
    assert message_of(None) == ""
    assert message_of({"status": "error", "code": 12, "message": "a longer text"}) == "a longer text"
    assert message_of({"result": None, "errors": ["oh no"]}) == "oh no"


@pytest.mark.slow
def test_the_texts_of_branches_are_written_too() -> None:
    domain, digest = load_domain("retail")
    recipe = Recipe(domain.name, digest, 7, "scripted/model", Knobs(queries=40, tools=300, branches=2))
    world, asker = build(domain, recipe, Scripted(good))
    assert asker.rejections == []
    assert all(tool.description.startswith("In short: ") for tool in world.tools)
