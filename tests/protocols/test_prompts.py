from __future__ import annotations

from pathlib import Path

import pytest

from planbench_xl.errors import PromptError
from planbench_xl.protocols import load_prompts
from planbench_xl.protocols.prompts import PACKAGED, PLACEHOLDERS


def test_the_pack_has_just_the_templates_it_needs() -> None:
    assert {path.stem for path in (PACKAGED / "text").iterdir()} == set(PLACEHOLDERS)


def test_a_folder_replaces_some(tmp_path: Path) -> None:
    (tmp_path / "end.md").write_text("That was turn $turn. $$5.\n")
    prompts = load_prompts(tmp_path)
    assert prompts.fill("end", turn="3", turns_left="0") == "That was turn 3. $5."
    assert prompts.fill("system", call_format="") == load_prompts().fill("system", call_format="")


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
