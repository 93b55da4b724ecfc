from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.construct import Domain, DomainError, Recipe, build_world
from planbench_xl.construct.asking import Asker
from planbench_xl.construct.completion import Prompt
from planbench_xl.construct.filtering import CANDIDATES_A_PROMPT, ModelFilter
from planbench_xl.construct.lookups import choose_lookups
from planbench_xl.construct.models import Models, estimate
from planbench_xl.world import World
from planbench_xl.world.validate import validate
from tests.construct.scripted import ALL_HOLD, Scripted, good, question


@pytest.fixture(scope="module")
def filtered(recipe: Recipe) -> Recipe:
    return msgspec.structs.replace(recipe, filter="scripted/model")


def objecting(meaning: str, criterion: str) -> Scripted:
    """Object to whatever returns a thing with a meaning."""

    def reply(prompt: Prompt) -> str:
        items: list[dict[str, Any]] = []
        for item in question(prompt)["items"]:
            verdict = {"id": item["id"], **ALL_HOLD}
            if item["facts"]["returns"]["meaning"] == meaning:
                verdict[criterion] = {"holds": False, "reason": "nobody\nasks   that"}
            items.append(verdict)
        return json.dumps({"items": items})

    return Scripted(reply)


def test_a_filter_without_objections_changes_nothing(tiny: Domain, filtered: Recipe, world: World) -> None:
    model = Scripted(good)
    found = build_world(tiny, filtered, model_filter=ModelFilter(Asker(model)))
    assert found.fingerprint == world.fingerprint
    assert found.recipe is not None and found.recipe["filter"] == "scripted/model"
    assert [entry.calls for entry in estimate(tiny, filtered)] == [{"lookups": len(model.asked)}]


@pytest.mark.parametrize(
    ("criterion", "says"),
    [
        ("needs_backend", "needs no backend"),
        ("plausible", "is not plausible"),
        ("gains_information", "gains no information"),
    ],
)
def test_what_is_objected_to_goes_and_is_listed(
    criterion: str, says: str, tiny: Domain, filtered: Recipe, world: World, tmp_path: Path
) -> None:
    field = tiny.fields["guest_mail"]
    model_filter = ModelFilter(Asker(objecting(field.description, criterion)))
    found = build_world(tiny, filtered, stages=tmp_path, model_filter=model_filter)
    assert validate(found) == []
    assert any("guest_mail" in tool.output_datatypes for tool in world.executable)
    assert not any("guest_mail" in tool.output_datatypes for tool in found.executable)
    listed = msgspec.json.decode((tmp_path / "2-lookups.json").read_bytes())["content"]["rejected"]
    reasons = [entry["reason"] for entry in listed if entry["reason"].startswith("the filter")]
    assert set(reasons) == {f"the filter says that it {says}: nobody asks that"}
    assert len(reasons) == model_filter.dropped > 0


def test_only_what_the_records_allow_is_judged_and_with_examples(tiny: Domain, world: World) -> None:
    model = Scripted(good)
    plain = choose_lookups(tiny, world.records, 36, 7)
    model_filter = ModelFilter(Asker(model))
    judged: list[Any] = []

    def objections(lookups: Any) -> dict[Any, str]:
        judged.extend(lookups)
        return model_filter.objections(tiny, lookups, world.records)

    assert choose_lookups(tiny, world.records, 36, 7, objections) == plain
    assert not {entry.lookup for entry in plain.rejected} & set(judged)
    items = [item["facts"] for prompt in model.asked for item in question(prompt)["items"]]
    assert len(items) == len(judged)
    assert len(model.asked) == -(-len(judged) // CANDIDATES_A_PROMPT)
    for lookup, facts in zip(judged, items, strict=True):
        assert facts["examples"][0] == [
            str(world.records[0].values[name]) for name in (*lookup.inputs, lookup.output)
        ], lookup


def test_an_unreadable_verdict_drops_nothing(tiny: Domain, filtered: Recipe, world: World) -> None:
    model_filter = ModelFilter(Asker(Scripted(lambda prompt: '{"items": [{"id": "1", "plausible": false}]}')))
    assert build_world(tiny, filtered, model_filter=model_filter).fingerprint == world.fingerprint
    assert model_filter.asker.tally.accepted == model_filter.dropped == 0
    assert "doesn't have the form asked for" in model_filter.asker.rejections[0].reason


def test_a_filter_that_drops_too_much_is_an_error(tiny: Domain, filtered: Recipe) -> None:
    def reply(prompt: Prompt) -> str:
        no = {"holds": False, "reason": "no"}
        items = [{"id": item["id"], **ALL_HOLD, "plausible": no} for item in question(prompt)["items"]]
        return json.dumps({"items": items})

    with pytest.raises(DomainError, match=r"no task of the lengths.*the filter dropped (\d+) of \1 look-ups"):
        build_world(tiny, filtered, model_filter=ModelFilter(Asker(Scripted(reply))))


def test_verdicts_are_remembered_and_reported(tiny: Domain, filtered: Recipe, tmp_path: Path) -> None:
    model = objecting(tiny.fields["guest_mail"].description, "plausible")
    worlds = []
    for _ in range(2):
        models = Models(filtered, tmp_path, lambda name: model)
        worlds.append(build_world(tiny, filtered, stages=tmp_path, model_filter=models.filter))
        (part,) = models.report()
    assert len(model.asked) == part.remembered
    assert part.calls == 0
    assert worlds[0].fingerprint == worlds[1].fingerprint
    assert str(part).startswith(f"Filter 'scripted/model' dropped {part.dropped} of {part.tally.asked} look-ups")
