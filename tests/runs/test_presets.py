import typing
from typing import Any

import msgspec
import pytest

from planbench_xl.environment import Setting
from planbench_xl.errors import SettingError
from planbench_xl.runs.presets import (
    RANGES,
    differences,
    find_preset,
    flat_fields,
    load_setting,
    make_setting,
    presets,
)

NAMES = [
    "default",
    "no-distractors",
    "one-path",
    "one-path-explicit",
    "one-path-implicit",
    "one-path-misleading",
    "one-path-shortest",
    "one-path-longest",
    "disabled-0.2",
    "disabled-0.4",
    "disabled-0.6",
    "disabled-0.8",
    *(f"enforced-{budget}" for budget in range(1, 6)),
    "all-tools",
    "bm25",
    "dense",
    "hybrid",
    "free-text",
    "flaky",
    "outage",
    "outage-silent",
    "schema-drift",
    "rate-limit",
]


def changed(*overrides: str) -> list[str]:
    """Return what overrides change in the default setting."""
    return differences(msgspec.to_builtins(Setting()), msgspec.to_builtins(load_setting("default", overrides)))


def test_the_presets() -> None:
    assert list(presets()) == NAMES
    assert all(preset.description.endswith(".") for preset in presets().values())
    assert load_setting("default") == Setting()
    assert load_setting("one-path").blocking.enabled
    assert load_setting("one-path").blocking.remaining_paths == 1
    assert load_setting("one-path-longest").blocking.length == "longest"
    assert load_setting("disabled-0.8").blocking.remaining_ratio == 0.2
    assert load_setting("enforced-3").exploration_budget == 3
    assert load_setting("enforced-3").blocking == load_setting("one-path").blocking
    assert load_setting("outage-silent").failures.silent
    assert not load_setting("outage-silent").blocking.enabled
    assert not load_setting("no-distractors").retrieval.distractors
    assert load_setting("free-text").retrieval.free_text
    assert load_setting("free-text").retrieval.retriever == load_setting("bm25").retrieval.retriever == "bm25"


@pytest.mark.parametrize(
    ("override", "change"),
    [
        ("seed=7", "seed: 42 → 7"),
        (" blocking.length = longest ", "blocking.length: any → longest"),
        ("blocking.length='longest'", "blocking.length: any → longest"),
        ("blocking.enabled=true", "blocking.enabled: false → true"),
        ("blocking.disabled_ratio=1", "blocking.disabled_ratio: 0.4 → 1.0"),
        ("blocking.kinds=[explicit]", 'blocking.kinds: ["explicit","implicit","misleading"] → ["explicit"]'),
        ('blocking.kinds=["explicit"]', 'blocking.kinds: ["explicit","implicit","misleading"] → ["explicit"]'),
        ("judge=exact", "judge: contains → exact"),
        ("name=mine", "name: default → mine"),
    ],
)
def test_a_field_can_be_changed(override: str, change: str) -> None:
    assert changed(override) == [change]


def test_later_changes_win_and_a_setting_can_be_the_start() -> None:
    assert load_setting("default", ["seed=1", "seed=2"]).seed == 2
    assert load_setting(load_setting("enforced-5"), ["seed=1"]).exploration_budget == 5


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("blocking.lenght=any", "no setting field `blocking.lenght`. Did you mean 'blocking.length'?"),
        ("length=any", "Did you mean 'blocking.length'?"),
        ("sed=1", "Did you mean 'seed'?"),
        ("blocker.seed=1", "no setting field `blocker`"),
        ("seed.x=1", "`seed` has no fields of its own"),
        ("blocking=1", "`blocking` is a group"),
        ("blocking={enabled=true}", "`blocking` is a group"),
        ("seed", "Write it as field=value"),
        ("=1", "no setting field ``"),
        ("seed=", "`seed`: expected `int`"),
        ("seed=x", "`seed`: expected `int`"),
        ("seed=1.5", "`seed`: expected `int`"),
        ("seed=true", "`seed`: expected `int`"),
        ("seed=-1", "`seed`: -1 is out of range"),
        ("seed=1_000_000_000_000_000_000_000", "out of range"),
        ("max_turns=0", "`max_turns`: 0 is out of range"),
        ("exploration_budget=-1", "`exploration_budget`: -1"),
        ("blocking.disabled_ratio=1.01", "Give a value from 0 to 1"),
        ("blocking.disabled_ratio=nan", "out of range"),
        ("blocking.kinds_drawn=4", "from 1 to 3"),
        ("blocking.kinds=[]", "no choice of block alternatives"),
        ("blocking.kinds=[stale]", "no choice of block alternatives"),
        ("blocking.kinds=[explicit, explicit]", "no choice of block alternatives"),
        ("blocking.kinds=[explicitt]", "It is a list of explicit, implicit, misleading"),
        ("blocking.kinds=explicit", "as in [explicit, implicit]"),
        ("blocking.length=long", "It can be any, longest, shortest, random"),
        ("blocking.planner=refrence", "`blocking.planner`: invalid enum value 'refrence'. It can be exact, reference"),
        ("blocking.enabled=yes", "`blocking.enabled`: expected `bool`"),
        ("name=a/b", "can't name a folder"),
    ],
)
def test_a_wrong_change_is_refused(override: str, said: str) -> None:
    with pytest.raises(SettingError) as caught:
        load_setting("default", [override])
    assert said in str(caught.value)


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(SettingError, match=r"no setting 'one-pth'\. Did you mean 'one-path'\? Known: default, "):
        find_preset("one-pth")


def test_every_number_of_a_setting_has_a_range() -> None:
    def numbers(kind: type[Any], prefix: str = "") -> set[str]:
        found = set()
        for name, field in typing.get_type_hints(kind).items():
            if isinstance(field, type) and issubclass(field, msgspec.Struct):
                found |= numbers(field, f"{prefix}{name}.")
            elif field in (int, float):
                found.add(prefix + name)
        return found

    assert set(RANGES) == numbers(Setting)


def test_a_setting_survives_plain_data() -> None:
    for name in NAMES:
        setting = load_setting(name)
        assert make_setting(msgspec.to_builtins(setting)) == setting
        assert "blocking.kinds" in flat_fields(msgspec.to_builtins(setting))


def test_differences() -> None:
    assert differences({"a": {"b": 1}, "c": "x"}, {"a": {"b": 1}, "c": "x"}) == []
    assert differences({"a": {"b": 1}}, {"a": {"b": None}, "d": [1]}) == ["a.b: 1 → null", "d: null → [1]"]
