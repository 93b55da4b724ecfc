"""Prompt packs: one template file for each thing that an agent can be told. Each protocol has a pack of its own.

Templates are plain text with `$name` placeholders (`string.Template`; `$$` is a dollar sign). A folder given by the
user replaces any of them by files of the same names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from string import Template

import msgspec

from planbench_xl.environment.observation import Event, Note
from planbench_xl.errors import PromptError

PACKAGED = Path(__file__).parent / "prompts"

_TURN = frozenset({"turn", "turns_left"})
_CALL = _TURN | {"tool", "arguments"}
_COMMON: Mapping[str, frozenset[str]] = {
    "system": frozenset({"call_format", "free_text"}),
    "system_all_tools": frozenset({"call_format"}),
    "inventory": frozenset({"result"}),
    "free_text": frozenset(),
    "error_free_text": frozenset(),
    Event.QUERY: _TURN | {"query", "overview"},
    Event.TOOLS: _TURN | {"result"},
    Event.RESULT: _TURN | {"tool", "value"},
    Event.NO_RESULT: _TURN | {"tool"},
    Event.AMBIGUOUS: _TURN | {"tool"},
    Event.ERROR_LABEL: _TURN,
    Event.ERROR_RETRIEVAL_JSON: _TURN,
    Event.ERROR_RETRIEVAL_SEMANTIC: _TURN | {"free_text"},
    Event.ERROR_NO_RETRIEVAL: _TURN,
    Event.ERROR_CALL_JSON: _TURN,
    Event.ERROR_UNDISCOVERED: _CALL,
    Event.ERROR_WRONG_ARGUMENTS: _CALL,
    Event.ERROR_RENAMED_ARGUMENT: _CALL,
    Event.ERROR_UNTRUSTED_INPUT: _CALL,
    Event.ERROR_MISSING_INPUT: _CALL,
    Event.CONTINUE: _TURN,
    Event.END: _TURN,
    Note.NO_TOOL_FOR_INPUTS: frozenset(),
    Note.NO_TOOL_FOR_BOTH: frozenset(),
}

PLACEHOLDERS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "text": {**_COMMON, "call_format": frozenset(), "call_format_ids": frozenset()},
    "native": {
        **_COMMON,
        "call_format_functions": frozenset(),
        "call_format_auto": frozenset(),
        "call_format_call_tool": frozenset(),
        "function_retrieve_tools": frozenset({"free_text"}),
        "function_free_text": frozenset(),
        "function_final_answer": frozenset(),
        "function_call_tool": frozenset(),
    },
}
"""Every pack's templates with the placeholders that each may use."""


class Prompts(msgspec.Struct, frozen=True):
    """A prompt pack.

    Attributes:
        templates: Template by name, split: text, placeholder, text, placeholder, …, text.
        source: Folder that replaced some of them, or empty.
    """

    templates: dict[str, tuple[str, ...]]
    source: str = ""

    def fill(self, name: str, **values: str) -> str:
        """Return a template's text with its placeholders filled in."""
        pieces = list(self.templates[name])
        pieces[1::2] = [values[placeholder] for placeholder in pieces[1::2]]
        return "".join(pieces)

    @property
    def mark(self) -> str:
        """What a protocol's name ends in: nothing for a packaged pack, else a hash of its content."""
        if not self.source:
            return ""
        texts = "\0".join(f"{name}\0{pieces}" for name, pieces in sorted(self.templates.items()))
        return f"+{hashlib.sha256(texts.encode()).hexdigest()[:12]}"


def load_prompts(folder: Path | None = None, pack: str = "text") -> Prompts:
    """Load a packaged prompt pack, with some templates replaced by those of a folder.

    Args:
        folder: Folder of `NAME.md` files.
        pack: Name of the packaged pack, `text` or `native`.

    Raises:
        PromptError: The folder has an unknown template, or a template an unknown placeholder.
    """
    known = PLACEHOLDERS[pack]
    texts = {name: _read(PACKAGED / pack / f"{name}.md") for name in known}
    if folder is not None:
        if not folder.is_dir():
            raise PromptError(f"{folder} is no folder. Give a folder with templates such as system.md.")
        for path in sorted(folder.glob("*.md")):
            if path.stem not in known:
                near = get_close_matches(path.stem, known, 1)
                hint = f"did you mean {near[0]}.md?" if near else f"the names are {', '.join(known)}."
                raise PromptError(f"{path}: protocol {pack} has no template of this name; {hint}")
            texts[path.stem] = _read(path)
    source = "" if folder is None else str(folder)
    return Prompts({name: _template(name, text, known[name]) for name, text in texts.items()}, source)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path}: can't be read as UTF-8 text ({error}).") from error


def _template(name: str, text: str, placeholders: frozenset[str]) -> tuple[str, ...]:
    """Return a template split at its placeholders, after checks."""
    template = Template(text)
    if not template.is_valid():
        raise PromptError(f"{name}.md: a `$` starts no placeholder. Write `$$` for a dollar sign.")
    unknown = set(template.get_identifiers()) - placeholders
    if unknown:
        known = ", ".join(f"${word}" for word in sorted(placeholders)) or "none"
        raise PromptError(f"{name}.md: unknown placeholder ${min(unknown)}. It may use: {known}.")
    pieces = [""]
    end = 0
    for match in template.pattern.finditer(text):
        pieces[-1] += text[end : match.start()]
        end = match.end()
        placeholder = match["named"] or match["braced"]
        if placeholder:
            pieces += [placeholder, ""]
        else:
            pieces[-1] += template.delimiter
    pieces[-1] += text[end:]
    return tuple(pieces)
