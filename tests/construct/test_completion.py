from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from planbench_xl.construct.completion import REPLIES, Counting, Prompt, Remembering, guide
from planbench_xl.construct.errors import CompletionError
from tests.construct.scripted import Scripted

PROMPTS = [Prompt(f"tools/{number}", "system", f"user {number}", "{}") for number in range(4)]


def ask(completer: Scripted | Remembering, prompts: list[Prompt]) -> dict[str, str]:
    found: dict[str, str] = {}
    completer.complete(prompts, lambda prompt, reply: found.update({prompt.id: reply}))
    return found


def test_what_was_asked_once_is_remembered(tmp_path: Path) -> None:
    model = Scripted(lambda prompt: f"reply to {prompt.user}")
    first = ask(Remembering(model, tmp_path / "new"), PROMPTS[:3])
    second = Remembering(model, tmp_path / "new")
    assert ask(second, PROMPTS) == {**first, "tools/3": "reply to user 3"}
    assert [prompt.id for prompt in model.asked] == ["tools/0", "tools/1", "tools/2", "tools/3"]
    assert (second.made, second.remembered) == (1, 3)


@pytest.mark.parametrize("field", ["system", "user", "schema", "attempt"])
def test_a_changed_prompt_is_another_one(field: str, tmp_path: Path) -> None:
    model = Scripted(lambda prompt: "x")
    ask(Remembering(model, tmp_path), PROMPTS[:1])
    ask(
        Remembering(model, tmp_path), [msgspec.structs.replace(PROMPTS[0], **{field: 1 if field == "attempt" else "!"})]
    )
    assert len(model.asked) == 2


def test_another_model_is_asked_itself(tmp_path: Path) -> None:
    ask(Remembering(Scripted(lambda prompt: "one"), tmp_path), PROMPTS[:1])
    other = Scripted(lambda prompt: "two")
    other.model = "other/model"
    assert ask(Remembering(other, tmp_path), PROMPTS[:1]) == {"tools/0": "two"}


def test_a_torn_last_line_is_cut_off_and_asked_for_again(tmp_path: Path) -> None:
    model = Scripted(lambda prompt: prompt.user)
    ask(Remembering(model, tmp_path), PROMPTS[:2])
    path = tmp_path / REPLIES
    path.write_bytes(path.read_bytes()[:-7])
    assert ask(Remembering(model, tmp_path), PROMPTS[:2]) == {"tools/0": "user 0", "tools/1": "user 1"}
    assert [prompt.id for prompt in model.asked] == ["tools/0", "tools/1", "tools/1"]
    assert len([msgspec.json.decode(line) for line in path.read_bytes().splitlines()]) == 2


def test_after_a_failure_only_what_is_missing_is_asked(tmp_path: Path) -> None:
    def fail_at_third(prompt: Prompt) -> str:
        if prompt.id == "tools/2":
            raise CompletionError("Model 'scripted/model' failed: no credit left.")
        return prompt.user

    with pytest.raises(CompletionError, match=r"scripted/model.*no credit left"):
        ask(Remembering(Scripted(fail_at_third), tmp_path), PROMPTS)
    again = Scripted(lambda prompt: prompt.user)
    assert len(ask(Remembering(again, tmp_path), PROMPTS)) == 4
    assert [prompt.id for prompt in again.asked] == ["tools/2", "tools/3"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / REPLIES).write_text('{"key":"a","model":"m","prompt":"p","reply":"r"}\n{"key":\n')
    with pytest.raises(CompletionError, match=r"replies\.jsonl, line 2: is no reply.*Remove the line"):
        Remembering(Scripted(lambda prompt: ""), tmp_path)


def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CompletionError, match="Choose another folder with --cache"):
        ask(Remembering(Scripted(lambda prompt: ""), tmp_path / "file"), PROMPTS[:1])


def test_counting_counts_first_attempts_by_kind() -> None:
    counting = Counting("m")
    again = msgspec.structs.replace(PROMPTS[0], attempt=1)
    counting.complete([*PROMPTS[:2], Prompt("queries/1", "s", "u", "{}"), again], lambda prompt, reply: None)
    assert counting.calls == {"tools": 2, "queries": 1}
    assert counting.characters == 2 * len("systemuser 0") + 2


@pytest.mark.parametrize("name", ["tools", "queries", "lookups"])
def test_instructions_hold_their_schema(name: str) -> None:
    found = guide(name)
    assert found.schema in found.system
    schema = msgspec.json.decode(found.schema)
    assert schema["properties"]["items"]["items"]["required"][0] == "id"
