from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from planbench_xl.construct import STAGES, Domain, Recipe, build_world, pipeline
from planbench_xl.construct.errors import DomainError
from planbench_xl.world import World, load_world, save_world
from planbench_xl.world.validate import validate_folder
from tests.construct.conftest import TINY

CODE = """
import sys
from pathlib import Path
from planbench_xl.construct import Knobs, Recipe, build_world, load_domain
from planbench_xl.world import save_world
domain, digest = load_domain(sys.argv[1])
knobs = Knobs(records=60, tools=36, queries=20, lengths={"3": 10, "4": 6, "5": 4})
recipe = Recipe(domain.name, digest, 7, "template", knobs)
save_world(build_world(domain, recipe), Path(sys.argv[2]))
"""


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def test_the_bytes_depend_on_no_hash_seed(tmp_path: Path, world: World, recipe: Recipe) -> None:
    save_world(world, tmp_path / "here")
    for seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", CODE, str(TINY), str(tmp_path / seed)], check=True, env=environment)
        assert content(tmp_path / seed) == content(tmp_path / "here")


def test_a_world_is_valid_and_loads(tmp_path: Path, world: World, recipe: Recipe) -> None:
    save_world(world, tmp_path)
    assert load_world(tmp_path).fingerprint == world.fingerprint
    assert validate_folder(tmp_path)[1] == []
    assert msgspec.convert(load_world(tmp_path).recipe, Recipe) == recipe


def test_another_seed_gives_another_world(tiny: Domain, world: World, recipe: Recipe) -> None:
    other = build_world(tiny, msgspec.structs.replace(recipe, seed=8))
    assert other.fingerprint != world.fingerprint
    assert len(other.queries) == len(world.queries)


@pytest.mark.parametrize("last", range(len(STAGES)))
def test_an_interrupted_build_goes_on(
    last: int, tmp_path: Path, tiny: Domain, world: World, recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_world(tiny, recipe, stages=tmp_path)
    artefacts = sorted(tmp_path.iterdir())
    assert [path.name for path in artefacts] == [f"{n}-{name}.json" for n, name in enumerate(STAGES, 1)]
    for path in artefacts[last + 1 :]:
        path.unlink()
    if last < len(STAGES) - 1:
        artefacts[last + 1].write_text("{half")
    monkeypatch.setattr(pipeline, "make_records", None)  # The first stage is never run again.
    assert build_world(tiny, recipe, stages=tmp_path).fingerprint == world.fingerprint


def test_artefacts_of_another_recipe_are_not_used(tmp_path: Path, tiny: Domain, world: World, recipe: Recipe) -> None:
    build_world(tiny, msgspec.structs.replace(recipe, seed=8), stages=tmp_path)
    assert build_world(tiny, recipe, stages=tmp_path).fingerprint == world.fingerprint


def test_progress_names_every_stage(tiny: Domain, recipe: Recipe) -> None:
    told: list[str] = []
    build_world(tiny, recipe, report=lambda stage, done, total: told.append(stage))
    assert tuple(dict.fromkeys(told)) == STAGES


def test_lengths_that_the_domain_can_not_give_are_refused(tiny: Domain, recipe: Recipe) -> None:
    asked = msgspec.structs.replace(recipe, knobs=msgspec.structs.replace(recipe.knobs, lengths={"60": 3}, longest=60))
    with pytest.raises(DomainError, match="gives no task of the lengths asked for"):
        build_world(tiny, asked)
