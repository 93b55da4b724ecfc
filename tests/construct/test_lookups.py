from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from planbench_xl.construct import load_domain
from planbench_xl.construct.dependencies import Dependencies
from planbench_xl.construct.lookups import Way, candidates, choose_lookups
from planbench_xl.construct.records import make_records
from tests.construct.conftest import TINY

DOMAIN = load_domain(TINY)[0]


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_chosen_lookups_are_deterministic_and_ask_for_no_more(seed: int) -> None:
    records = make_records(DOMAIN, 60, seed)
    lookups = choose_lookups(DOMAIN, records, 36, seed)
    dependencies = Dependencies(records)
    assert all(dependencies.minimally(lookup.inputs, lookup.output) for lookup in lookups.chosen)
    assert not any(dependencies.minimally(found.lookup.inputs, found.lookup.output) for found in lookups.rejected)
    taken = {(frozenset(lookup.inputs), lookup.output) for lookup in lookups.chosen}
    for lookup in candidates(DOMAIN):
        graph = lookup.way in (Way.OWN, Way.LINK, Way.KEY)
        if graph and dependencies.minimally(lookup.inputs, lookup.output):
            assert (frozenset(lookup.inputs), lookup.output) in taken


def test_the_number_of_tools_is_met() -> None:
    records = make_records(DOMAIN, 60, 1)
    assert len(choose_lookups(DOMAIN, records, 30, 1).chosen) == 30
    # The graph alone has more than this.
    assert len(choose_lookups(DOMAIN, records, 5, 1).chosen) > 5


def test_a_refuted_candidate_says_why() -> None:
    records = make_records(DOMAIN, 60, 1)
    rejected = choose_lookups(DOMAIN, records, 36, 1).rejected
    assert {found.reason for found in rejected} <= {
        "the inputs don't determine the output",
        "some of the inputs determine the output",
    }
