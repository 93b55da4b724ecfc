from __future__ import annotations

from pathlib import Path

import pytest

from planbench_xl.construct import DomainError, load_domain, packaged_domains
from tests.construct.conftest import TINY


@pytest.mark.parametrize("name", packaged_domains())
def test_packaged_domains_have_no_faults(name: str) -> None:
    domain, digest = load_domain(name)
    assert domain.name == name
    assert len(digest) == 64
    assert len(domain.fields) >= 64


def test_there_are_two_domains() -> None:
    assert set(packaged_domains()) >= {"retail", "hospital"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("format = 1", "format = 9", "tiny.toml, field `format`: is 9, not 1"),
        ('name = "boats"', "name = 3", "field `name`: expected `str`, got `int`"),
        ("[words]", "[words", "is not valid TOML"),
        ('make = "TR-{d5}"', "", "entity 'trip', field 'trip_slip'"),
        ('make = "TR-{d5}"', 'make = "TR-{d5}"\ncolour = "x"', "unknown field `colour`"),
        ('make = "TR-{d5}"', 'make = "TR"', "entity 'trip', field 'trip_slip', field `make`: 'TR' has no random part"),
        ('leads_to = ["tag"]', 'leads_to = ["tags"]', "'tags' is not another entity (closest: 'tag')"),
        ('fields = ["guest_card", "hull_mark"]', 'fields = ["guest_crd"]', "(closest: 'guest_card')"),
        ('of = { entity = "trip", group = [1, 3] }', 'of = { entity = "boat" }', "declared before this one"),
        ('"hire reference", ', "", "has 4 different entries"),
        ('"guest number", "visitor card"', '"Guest Nr", "visitor card"', "lower-case words"),
        ('"visitor card"', '"booking number"', "is an alias of 'trip_slip' too"),
        ('given = ["booking {}"', 'given = ["booking"', "doesn't hold {} once"),
        ('question = ["How much was the fuel?"]', "", "must come together"),
        ('says = ["the berth where', 'says = ["the hull name where', "says 'hull name', the internal name"),
        ('"All I have is {given}."', '"All I have."', "holds {given} 0 times"),
        ("time: trip_sailed + 5h", "time: yard_gone + 5h", "starts from 'yard_gone'"),
        ('name = "octane"', 'name = "hull_name"', "is a datatype of the domain"),
        ('says = ["the berth where', 'says = ["the mark on the hull", "the berth where', "for 'hull_mark'"),
        ('name = "hull_berth"', 'name = "hull_berth"\nalso = ["Name on the stern."]', "for 'hull_name'"),
    ],
)
def test_a_fault_names_place_and_remedy(old: str, new: str, says: str, tmp_path: Path) -> None:
    text = TINY.read_text()
    assert old in text
    path = tmp_path / "tiny.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(DomainError) as raised:
        load_domain(path)
    assert says in str(raised.value)
    assert all(fault.remedy for fault in raised.value.faults)


def test_an_unknown_domain_is_suggested() -> None:
    with pytest.raises(DomainError, match="closest: 'retail'"):
        load_domain("retial")
