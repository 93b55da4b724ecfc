from __future__ import annotations

import msgspec

from planbench_xl.exports.card import card
from planbench_xl.world import World


def test_facts(mini: World) -> None:
    text = card(mini, license_name="cc-by-4.0")
    assert text.startswith("---\npretty_name: PlanBench-XL mini\n")
    assert "license: cc-by-4.0" in text
    assert mini.fingerprint in text
    assert f"{len(mini.tools)} tools over {len(mini.datatypes)} datatypes" in text
    assert "Queries by split" not in text
    assert "{" not in text


def test_splits_and_recipe(mini: World) -> None:
    queries = tuple(msgspec.structs.replace(q, split="dev" if n < 3 else "test") for n, q in enumerate(mini.queries))
    world = msgspec.structs.replace(mini, queries=queries, recipe={"domain": "library", "seed": 7})
    text = card(world)
    assert "| Queries by split | dev 3, test 8 |" in text
    assert "| Made from | domain `library`, seed 7 |" in text
