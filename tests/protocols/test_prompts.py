from __future__ import annotations

from pathlib import Path

import pytest

from planbench_xl.errors import PromptError
from planbench_xl.protocols import TextProtocol, load_prompts
from planbench_xl.protocols.prompts import PACKAGED, PLACEHOLDERS

PACKS = sorted(PLACEHOLDERS)


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_has_just_the_templates_it_needs(pack: str) -> None:
    assert {path.stem for path in (PACKAGED / pack).iterdir()} == set(PLACEHOLDERS[pack])


def test_each_packaged_protocol_has_a_pack() -> None:
    assert {path.name for path in PACKAGED.iterdir()} == set(PACKS) == {"native", "text"}


@pytest.mark.parametrize("pack", PACKS)
def test_both_packs_tell_the_same_rules(pack: str) -> None:
    """Whoever compares the protocols must compare no more than the way of writing an action."""
    rules = (PACKAGED / pack / "system.md").read_text(encoding="utf-8").partition("Good to know:")[2]
    flat = " ".join(rules.split())
    for rule in (
        "A single search rarely finds a tool that leads straight from what you know to what is asked.",
        "Some of the tools are outdated, restricted, inexact or out of order;",
        "A tool refuses values that were not established.",
        "An answer counts only if a dependable tool returned it during this conversation.",
        "Three faulty replies of the same sort in a row end the conversation.",
    ):
        assert rule in flat


def test_the_native_pack_mentions_no_tags() -> None:
    for path in (PACKAGED / "native").iterdir():
        assert "<" not in path.read_text(encoding="utf-8"), path.name


def test_ones_own_prompts_mark_the_name(tmp_path: Path) -> None:
    assert load_prompts().mark == load_prompts(pack="native").mark == ""
    (tmp_path / "end.md").write_text("The end.")
    mark = load_prompts(tmp_path).mark
    assert mark.startswith("+") and len(mark) == 13
    (tmp_path / "end.md").write_text("The very end.")
    assert load_prompts(tmp_path).mark != mark
    assert TextProtocol(load_prompts(tmp_path)).name == "text/1" + load_prompts(tmp_path).mark


def test_a_folder_replaces_some(tmp_path: Path) -> None:
    (tmp_path / "end.md").write_text("That was turn $turn. $$5.\n")
    prompts = load_prompts(tmp_path)
    assert prompts.fill("end", turn="3", turns_left="0") == "That was turn 3. $5."
    values = {"result": "{}", "turn": "3", "turns_left": "0"}
    assert prompts.fill("tools", **values) == load_prompts().fill("tools", **values)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("systm.md", "x", r"did you mean system\.md"),
        ("zzz.md", "x", "the names are"),
        ("end.md", "$gold", r"unknown placeholder \$gold.*\$turn"),
        ("end.md", "costs $5", r"Write `\$\$`"),
    ],
)
def test_faults(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(PromptError, match=message):
        load_prompts(tmp_path)


def test_unreadable(tmp_path: Path) -> None:
    (tmp_path / "end.md").write_bytes(b"\xff\xfe")
    with pytest.raises(PromptError, match="UTF-8"):
        load_prompts(tmp_path)
    with pytest.raises(PromptError, match="no folder"):
        load_prompts(tmp_path / "none")
