"""From catalogues to drafts of domain files."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.construct.catalogues import CatalogueError, Draft, draft_domain, read_mcp, read_openapi, to_toml
from planbench_xl.construct.catalogues.names import clean, noun, singular, within, words
from planbench_xl.construct.catalogues.relate import MOST_THINGS
from planbench_xl.construct.catalogues.unify import unify
from planbench_xl.construct.domain import Field
from planbench_xl.construct.reading import parse_domain
from tests.construct.catalogues.conftest import BIKES, DESK, KENNEL, LIBRARY, catalogue


def draft(path: Path) -> Draft:
    return draft_domain(catalogue(path))


def field(found: Draft, entity: str, ending: str) -> Field:
    (one,) = (one for one in found.domain.entities[entity].field if one.name.endswith(ending))
    return one


@pytest.mark.parametrize(
    ("name", "plain"),
    [("petId", ["pet", "id"]), ("HTTPCode2", ["http", "code2"]), ("Größe-max", ["gro", "e", "max"]), ("価格", [])],
)
def test_names_become_words(name: str, plain: list[str]) -> None:
    assert words(name) == plain


def test_names_of_schemas_become_nouns() -> None:
    assert {noun(name) for name in ("NewPet", "pets", "PetListResponse", "pet-minimal", "Pet")} == {"pet"}
    plurals = ["categories", "boxes", "status", "addresses", "series", "users", "buses", "classes"]
    singulars = ["category", "box", "status", "address", "series", "user", "bus", "class"]
    assert [singular(word) for word in plurals] == singulars


def test_a_field_is_named_without_its_owner() -> None:
    assert [within(name, "order item") for name in ("order_item_id", "itemId", "price", "item")] == [
        "id",
        "id",
        "price",
        "item",
    ]


def test_text_of_documents_is_cleaned() -> None:
    assert clean("A <b>rider</b>'s\n `card`\x00, see [here](x).\ud800", 99) == "A rider's card , see here."
    assert clean("One sentence that is short. Another one that goes on and on.", 40) == "One sentence that is short."


def test_fields_are_unified_by_name_and_type() -> None:
    things, edges = unify(catalogue(BIKES))
    rider = things["rider"]
    assert list(rider.fields) == ["id", "name", "email", "phone", "birth date", "address city", "address street"]
    assert rider.identifier == "id" and rider.keys == [("email",)]
    assert things["bike"].identifier == "frame number" and things["voucher"].identifier == "code"
    # The number on an invoice is its identifier; `invoice_number` and a path's `{id}` are the same thing.
    assert things["invoice"].identifier == "number"
    pairs = {(edge.child, edge.parent) for edge in edges}
    assert {("rental", "rider"), ("rental", "bike"), ("bike", "station"), ("station", "depot")} <= pairs
    assert {("invoice", "rental"), ("dock", "station")} <= pairs


def test_a_type_that_differs_is_doubtful() -> None:
    found = draft(KENNEL)
    reasons = {doubt.reason for doubt in found.doubts if doubt.entity == "dog"}
    assert "its type is string in one place and integer in another" in reasons
    assert "# CHECK: its type is string in one place and integer in another." in to_toml(found, "kennel.json")


def test_what_nothing_relates_is_chained_and_marked() -> None:
    found = draft(BIKES)
    assert any("nothing in the catalogue relates a voucher to" in doubt.reason for doubt in found.doubts)
    assert any("voucher" in entity.leads_to for entity in found.domain.entity)


def test_values_follow_the_schema() -> None:
    found = draft(BIKES)
    assert field(found, "rental", "_id").make == "RN-{d6}"
    assert field(found, "rental", "_state").make == "pick: open | closed | lost stolen"
    assert field(found, "rental", "_distance").make == "money: 1.01 .. 900.00"
    started = field(found, "rental", "_started_at")
    assert field(found, "rental", "_ended_at").make == f"time: {started.name} + 2h .. 9d"
    assert field(found, "bike", "_gears").make == "integer: 1 .. 27"
    assert field(found, "bike", "_electric").make == "pick: yes | no"
    assert field(found, "invoice", "_currency").make.startswith("pick: CHF")
    assert field(found, "invoice", "_id").make == "{d4}/{d6}"
    assert field(found, "rider", "_birth_date").make == "date: 1950-01-01 .. 2007-12-31"


def test_identifiers_and_keys_are_given_and_only_what_differs_is_asked_for() -> None:
    found = draft(BIKES)
    rider = found.domain.entities["rider"]
    assert rider.identifier.given and rider.identifier.description == "Number on the rider's card."
    assert field(found, "rider", "_email").given and field(found, "rider", "_email").asked
    assert not field(found, "rental", "_state").asked


@pytest.mark.parametrize("path", [BIKES, LIBRARY, KENNEL, DESK], ids=lambda path: path.name)
def test_the_file_says_what_the_draft_is(path: Path) -> None:
    found = draft(path)
    text = to_toml(found, path.name)
    assert parse_domain(tomllib.loads(text), "draft.toml") == found.domain
    assert text.count("# CHECK: ") == len(found.doubts) > 0
    assert text == to_toml(draft(path), path.name)


def test_a_large_catalogue_is_cut_to_what_matters_and_says_what_is_missing(bikes: Any) -> None:
    schema = {"type": "object", "properties": {f"field_{n}": {"type": "string"} for n in range(40)} | {"id": {}}}
    schema["properties"]["id"] = {"type": "string"}
    for number in range(30):
        answer = {"200": {"content": {"application/json": {"schema": {"title": f"Thing {number}", **schema}}}}}
        bikes["paths"][f"/things{number}/{{id}}"] = {"get": {"responses": answer}}
    found = draft_domain(read_openapi(bikes, "b.json"))
    assert len(found.domain.entity) == MOST_THINGS
    assert len(found.domain.fields) <= 90
    assert len(found.left_out[""]) == 38 - MOST_THINGS
    assert "rental" in found.domain.entities


def test_what_nearly_all_tools_take_says_within_what_they_are() -> None:
    tools = [
        {"name": name, "inputSchema": {"properties": {key: {"type": "string"} for key in ("owner", "repo", *more)}}}
        for name, more in [
            ("create_repository", ("topic",)),
            ("get_issue", ("issue_number", "title")),
            ("list_branches", ("branch", "protection")),
            ("get_commit", ("sha", "message_text")),
        ]
    ]
    things, edges = unify(read_mcp(tools, "t.json"))
    assert things["repository"].keys == [("owner", "repo")]
    assert not {"owner", "repo"} & set(things["issue"].fields)
    assert {("issue", "repository"), ("branch", "repository"), ("commit", "repository")} == {
        (edge.child, edge.parent) for edge in edges
    }


def test_too_little_for_a_world_says_what_to_add() -> None:
    tools = [{"name": "get_sum", "inputSchema": {"properties": {"a": {"type": "number"}, "b": {"type": "number"}}}}]
    with pytest.raises(
        CatalogueError, match=r"1 kinds of things \('sum'\) with 3 fields.*Add response schemas.*outputSchema"
    ):
        draft_domain(read_mcp(tools, "t.json"))
    with pytest.raises(CatalogueError, match=r"0 kinds of things \(none\)"):
        draft_domain(read_mcp([{"name": "ping"}], "t.json"))
