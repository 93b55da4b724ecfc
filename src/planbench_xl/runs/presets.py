"""Settings by name, and changes to single fields of one. The presets are in `presets.toml` beside this module."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from planbench_xl.environment import Setting
from planbench_xl.errors import SettingError
from planbench_xl.retrieval import LARGEST_TOP_K, check_retrieval
from planbench_xl.world import BLOCK_KINDS

PRESETS = Path(__file__).parent / "presets.toml"

Fields = dict[str, Any]

RANGES: Mapping[str, tuple[int, float]] = {
    "seed": (0, math.inf),
    "max_turns": (1, math.inf),
    "max_label_errors": (1, math.inf),
    "max_retrieval_errors": (1, math.inf),
    "max_call_errors": (1, math.inf),
    "exploration_budget": (0, math.inf),
    "retrieval.max_tools": (0, math.inf),
    "retrieval.top_k": (1, LARGEST_TOP_K),
    "blocking.remaining_paths": (0, math.inf),
    "blocking.disabled_ratio": (0, 1),
    "blocking.blocked_paths": (0, math.inf),
    "blocking.blocked_tools": (0, math.inf),
    "blocking.raise_shortest": (0, math.inf),
    "blocking.max_extra": (0, math.inf),
    "blocking.tolerance": (0, math.inf),
    "blocking.min_remaining": (1, math.inf),
    "blocking.kinds_drawn": (1, len(BLOCK_KINDS)),
    "blocking.max_blocked": (0, math.inf),
    "blocking.max_candidates": (1, math.inf),
    "failures.share": (0, 1),
    "failures.failures": (0, math.inf),
    "failures.after_turn": (0, math.inf),
    "failures.calls": (1, math.inf),
    "failures.wait": (0, math.inf),
}
"""Smallest and largest value of each numeric field."""

LARGEST = 2**53 - 1
"""No integer may be larger: other readers of JSON would round it."""

_NAME = re.compile(r"[\w.+-]+")


class Preset(msgspec.Struct, frozen=True):
    """A named setting.

    Attributes:
        name: Its name.
        description: What it is, in a line.
        fields: The fields that differ from the defaults of `Setting`.
    """

    name: str
    description: str
    fields: Fields

    @property
    def setting(self) -> Setting:
        """The setting itself."""
        return make_setting({"name": self.name, **self.fields})


@cache
def presets() -> Mapping[str, Preset]:
    """Return all presets by name, in the order of the file."""
    tables = tomllib.loads(PRESETS.read_text(encoding="utf-8"))
    found: dict[str, Preset] = {}
    for name, table in tables.items():
        inherited = found[table.pop("extends")].fields if "extends" in table else {}
        description = table.pop("description")
        found[name] = Preset(name, description, _merged(inherited, table))
    return found


def load_setting(name: str | Setting = "default", overrides: Iterable[str] = ()) -> Setting:
    """Return a preset with some fields changed.

    Args:
        name: Name of the preset, or a setting to start from.
        overrides: Changes such as `blocking.length=longest`; a value is written as in TOML, bare words are strings.

    Raises:
        SettingError: There is no such preset or field, or the field can't take the value; the message names the field
            and suggests.
    """
    fields = msgspec.to_builtins(name if isinstance(name, Setting) else find_preset(name).setting)
    for override in overrides:
        path, equals, text = override.partition("=")
        if not equals:
            raise SettingError(
                f"`{override}` changes no field of the setting. Write it as field=value, as in max_turns=50."
            )
        _assign(fields, path.strip(), _value(text.strip()))
    return make_setting(fields)


def find_preset(name: str) -> Preset:
    """Return a preset by name.

    Raises:
        SettingError: There is none of this name.
    """
    preset = presets().get(name)
    if preset is None:
        raise SettingError(f"There is no setting '{name}'. {_hint(name, presets())}")
    return preset


def make_setting(fields: Mapping[str, Any]) -> Setting:
    """Return a setting from its fields as plain data, checked.

    Raises:
        SettingError: A field is unknown or can't take its value.
    """
    _check_names(fields, Setting, "")
    try:
        setting = msgspec.convert(fields, Setting)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$.")
        path = re.sub(r"\[\.{3}\]", "", place.removesuffix("`"))
        raise SettingError(f"Setting field `{path}`: {problem[:1].lower() + problem[1:]}.{_choices(path)}") from error
    check_setting(setting)
    return setting


def check_setting(setting: Setting) -> None:
    """Refuse values of the right type that make no sense.

    Raises:
        SettingError: Naming the field and the values it can take.
    """
    for path, (low, high) in RANGES.items():
        value: Any = setting
        for part in path.split("."):
            value = getattr(value, part)
        if not low <= value <= min(high, LARGEST):
            wanted = f"from {low} to {LARGEST if math.isinf(high) else high}"
            raise SettingError(f"Setting field `{path}`: {value} is out of range. Give a value {wanted}.")
    kinds = setting.blocking.kinds
    if not kinds or len(set(kinds)) < len(kinds) or not set(kinds) <= set(BLOCK_KINDS):
        raise SettingError(
            f"Setting field `blocking.kinds`: [{', '.join(kinds)}] is no choice of block alternatives. "
            f"Give one or more of {', '.join(BLOCK_KINDS)}, each once."
        )
    check_retrieval(setting.retrieval)
    if not _NAME.fullmatch(setting.name):
        raise SettingError(
            f"Setting field `name`: '{setting.name}' can't name a folder. Use letters, digits and . + - _"
        )


def differences(old: Any, new: Any, place: str = "") -> list[str]:
    """Return the differences between two plain values, a line each, as `field: old → new`."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        lines: list[str] = []
        for key in dict.fromkeys([*old, *new]):
            lines += differences(old.get(key), new.get(key), f"{place}.{key}" if place else str(key))
        return lines
    return [] if old == new else [f"{place}: {_shown(old)} → {_shown(new)}"]


def flat_fields(fields: Mapping[str, Any], prefix: str = "") -> Fields:
    """Return nested fields under their dotted paths."""
    flat: Fields = {}
    for name, value in fields.items():
        path = f"{prefix}{name}"
        flat |= flat_fields(value, f"{path}.") if isinstance(value, Mapping) else {path: value}
    return flat


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _merged(base: Fields, changes: Fields) -> Fields:
    merged = dict(base)
    for key, value in changes.items():
        merged[key] = _merged(merged.get(key, {}), value) if isinstance(value, dict) else value
    return merged


def _assign(fields: Fields, path: str, value: Any) -> None:
    """Set the field at a dotted path. Names are checked first: a wrong one must not look like a wrong type."""
    *parents, last = path.split(".")
    changes: Fields = {last: value}
    for parent in reversed(parents):
        changes = {parent: changes}
    _check_names(changes, Setting, "")
    for parent in parents:
        fields = fields[parent]
    if isinstance(fields.get(last), dict):
        raise SettingError(
            f"`{path}` is a group of fields. Set one of them: {_listing(_field_types(Setting)[last], path)}"
        )
    fields[last] = value


def _value(text: str) -> Any:
    """Read a value as TOML; what is no TOML is a bare word, or a list of bare words in brackets."""
    try:
        return tomllib.loads(f"v = {text}")["v"] if "\n" not in text else text
    except tomllib.TOMLDecodeError:
        if text.startswith("[") and text.endswith("]"):
            return [item.strip().strip("\"'") for item in text[1:-1].split(",") if item.strip()]
        return text


def _field_types(kind: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _listing(kind: type[Any], prefix: str) -> str:
    return ", ".join(f"{prefix}.{name}" if prefix else name for name in _field_types(kind))


def _check_names(fields: Mapping[str, Any], kind: type[Any], prefix: str) -> None:
    known = _field_types(kind)
    for name, value in fields.items():
        place = f"{prefix}.{name}" if prefix else name
        if name not in known:
            raise SettingError(f"There is no setting field `{place}`. {_hint(place, _all_paths())}")
        inner = known[name]
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            if not isinstance(value, Mapping):
                raise SettingError(f"Setting field `{place}` is a group. Set one of: {_listing(inner, place)}")
            _check_names(value, inner, place)
        elif isinstance(value, Mapping):
            raise SettingError(f"Setting field `{place}` has no fields of its own. Give it a plain value.")


@cache
def _all_paths() -> tuple[str, ...]:
    paths: list[str] = []
    for name, kind in _field_types(Setting).items():
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            paths += [f"{name}.{inner}" for inner in _field_types(kind)]
        else:
            paths.append(name)
    return tuple(paths)


def _hint(name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = difflib.get_close_matches(name, names, 1)
    if not close:
        # A field given without its group: `length` for `blocking.length`.
        ends = {known_name.rpartition(".")[2]: known_name for known_name in reversed(names)}
        close = [ends[end] for end in difflib.get_close_matches(name.rpartition(".")[2], ends, 1)]
    suggestion = f"Did you mean '{close[0]}'? " if close else ""
    return f"{suggestion}Known: {', '.join(names)}."


def _choices(path: str) -> str:
    """Return the values that a field can take, if it is a choice."""
    kind: Any = Setting
    for part in path.split("."):
        kind = _field_types(kind).get(part.partition("[")[0]) if isinstance(kind, type) else None
    while typing.get_origin(kind) in (tuple, Sequence, typing.Union, types.UnionType):
        kind = typing.get_args(kind)[0]
    if typing.get_origin(kind) is Literal:
        return f" It can be {', '.join(map(str, typing.get_args(kind)))}."
    if path.partition("[")[0] == "blocking.kinds":
        return f" It is a list of {', '.join(BLOCK_KINDS)}, as in [explicit, implicit]."
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f" It can be {', '.join(str(item.value) for item in kind)}."
    return ""
