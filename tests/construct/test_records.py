from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbench_xl.construct import Domain, DomainError, load_domain
from planbench_xl.construct.dependencies import Dependencies
from planbench_xl.construct.records import make_records
from tests.construct.conftest import TINY

DOMAIN = load_domain(TINY)[0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(12, 80))
def test_records_keep_the_rules(seed: int, count: int) -> None:
    records = make_records(DOMAIN, count, seed)
    assert len(records) == count
    assert len({record.record_id for record in records}) == count
    assert all(set(record.values) == set(DOMAIN.fields) for record in records)
    dependencies = Dependencies(records)
    # Every entity's identifier determines its fields, and a booking everything.
    for entity, field in DOMAIN.pairs():
        assert dependencies.determines([entity.identifier.name], field.name)
        assert dependencies.determines(["trip_slip"], field.name)
    for entity in DOMAIN.entity:
        for key in entity.key:
            assert dependencies.determines(key.fields, entity.identifier.name)
    assert all(record.values["trip_sailed"] < record.values["yard_done"] for record in records)


def test_a_guest_has_several_bookings(tiny: Domain) -> None:
    guests = [record.values["guest_card"] for record in make_records(tiny, 60, 1)]
    assert 20 < len(set(guests)) < 45


def test_a_maker_that_is_too_narrow_is_named(tiny: Domain) -> None:
    with pytest.raises(DomainError, match="field 'guest_card', field `make`: has too few values for `unique`"):
        # Four digits don't give so many guests.
        make_records(tiny, 30_000, 1)
