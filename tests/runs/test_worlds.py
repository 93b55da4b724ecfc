from pathlib import Path

import pytest

from planbench_xl.errors import UsageError
from planbench_xl.runs.worlds import describe, find_folder, open_world
from planbench_xl.world import World


def test_names_and_suggestions(mini: World, tmp_path: Path) -> None:
    assert open_world("mini").fingerprint == mini.fingerprint
    with pytest.raises(UsageError, match="Did you mean 'mini'"):
        open_world("mnii")
    (tmp_path / "released").mkdir()
    with pytest.raises(UsageError, match=f"Did you mean '{tmp_path}/released'"):
        find_folder(str(tmp_path / "relased"))
    with pytest.raises(UsageError, match="Give a world's folder"):
        find_folder("/no/such/place")


def test_description(mini: World, release: World) -> None:
    assert describe(mini)["queries"] == len(mini.queries)
    facts = describe(release)
    assert facts["tools_by_role"] == {"executable": 185, "distractor": 925, "block_alternative": 555}
    assert facts["tasks_by_shortest_length"] == {"5": 145, "6": 106, "7": 59, "8": 15, "9": 2}
    assert (facts["datatypes"], facts["records"], facts["queries"]) == (56, 100, 327)
