"""Reading documents: OpenAPI 3.0 and 3.1, Swagger 2.0, MCP; and every way in which that fails."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.construct.catalogues import CatalogueError, load_document, read_mcp, read_openapi
from planbench_xl.construct.catalogues.model import Holds
from planbench_xl.construct.catalogues.openapi import MOST_OPERATIONS
from tests.construct.catalogues.conftest import BIKES, DESK, KENNEL, LIBRARY, catalogue


def owned(path: Path, operation: str) -> dict[str, set[tuple[str, str]]]:
    (found,) = (one for one in catalogue(path).operations if one.name == operation)
    return {
        "in": {(slot.owner, slot.name) for slot in found.inputs},
        "out": {(slot.owner, slot.name) for slot in found.outputs},
    }


def test_openapi_with_a_wrapper_a_list_and_nullable_types() -> None:
    found = owned(BIKES, "findRiders")
    assert found["in"] == {("rider", "email"), ("rider", "page")}
    assert found["out"] == {
        *(("rider", name) for name in ("id", "name", "email", "phone", "birthDate")),
        *(("address", name) for name in ("city", "street")),
    }


def test_a_parameter_of_the_whole_path_and_one_by_reference() -> None:
    assert owned(BIKES, "getRider")["in"] == {("rider", "riderId")}
    assert owned(BIKES, "getInvoice")["in"] == {("rental", "rental_id")}


def test_a_parameter_that_the_answer_shows_belongs_to_what_the_path_is_about() -> None:
    assert owned(BIKES, "getBike")["in"] == {("bike", "frame_number")}


def test_parts_of_all_of_are_merged_and_a_cycle_through_objects_ends() -> None:
    (rental,) = (one for one in catalogue(BIKES).operations if one.name == "getRental")
    names = [slot.name for slot in rental.outputs]
    assert names.count("id") == 1 and {"rider_id", "startedAt"} <= set(names)
    (state,) = (slot for slot in rental.outputs if slot.name == "state")
    assert state.enum == ("open", "closed", "lost|stolen")


def test_yaml_with_codes_that_are_numbers_and_a_nullable_reference() -> None:
    found = catalogue(LIBRARY)
    assert len(found.operations) == 3
    loan = found.operations[0]
    assert loan.flow == "Desk" and ("loan", "lent_at") in {(slot.owner, slot.name) for slot in loan.outputs}
    assert Holds("loan", "fine", False) in loan.holds and Holds("title", "publisher", False) in loan.holds
    assert found.operations[1].nested == ("member", "loan")


def test_swagger_with_a_body_and_a_form() -> None:
    assert ("stay", "dogId") in owned(KENNEL, "POST /stays")["in"]
    assert owned(KENNEL, "POST /dogs/{dogId}/photo")["in"] == {
        ("dog", "dogId"),
        ("photo", "caption"),
        ("photo", "camera"),
    }


def test_mcp_with_references_within_a_tools_schema() -> None:
    found = catalogue(DESK)
    assert [one.subject for one in found.operations] == ["ticket", "device", "contract", "warehouse"]
    assert {slot.owner for slot in found.operations[0].outputs} == {"ticket", "customer"}
    assert {slot.owner for slot in found.operations[1].outputs} == {"device"}
    assert found.operations[0].reads


def test_mcp_as_a_message_as_a_result_and_as_a_list() -> None:
    message = load_document(DESK)
    forms = (message, message["result"], message["result"]["tools"])
    assert len({read_mcp(form, "t.json") for form in forms}) == 1


def test_tags_and_paths_narrow(bikes: Any) -> None:
    assert len(read_openapi(bikes, "b.json", tags=["people", "Fleet"]).operations) == 4
    assert len(read_openapi(bikes, "b.json", paths=["/rentals/"]).operations) == 2
    with pytest.raises(
        CatalogueError, match=r"no operation with that tag or path\. Tags: .*Fleet \(2\).*Paths: /rentals \(3\)"
    ):
        read_openapi(bikes, "b.json", tags=["People"], paths=["/bikes"])


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "is not an object"),
        ({}, "neither `openapi` nor `swagger`"),
        ({"openapi": "2.9"}, "says version '2.9'"),
        ({"openapi": "3.1.0"}, "paths: is missing or empty"),
        ({"openapi": "3.1.0", "paths": {"/a": {"summary": "nothing"}}}, "has no operation. Add paths"),
    ],
)
def test_what_is_no_openapi_document_is_refused(document: Any, says: str) -> None:
    with pytest.raises(CatalogueError, match=r"x\.json") as caught:
        read_openapi(document, "x.json")
    assert says in str(caught.value)


def with_answer(bikes: Any, schema: Any) -> Any:
    answers = bikes["paths"]["/rentals/{rental_id}"]["get"]["responses"]
    answers["200"]["content"]["application/json"]["schema"] = schema
    return bikes


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"$ref": "other.json#/A"}, "'other.json#/A' leads to another document. Bundle"),
        ({"$ref": "#/components/schemas/Nothing"}, "'#/components/schemas/Nothing' leads to nothing"),
        ({"$ref": "#/components/schemas/A"}, "only leads back to itself"),
        ({"$ref": "#/components/schemas/C"}, "is a part of itself"),
    ],
)
def test_a_reference_that_cant_be_followed_is_named_with_its_place(bikes: Any, schema: Any, says: str) -> None:
    bikes["components"]["schemas"] |= {
        "A": {"$ref": "#/components/schemas/B"},
        "B": {"$ref": "#/components/schemas/A"},
        "C": {"allOf": [{"type": "object"}, {"$ref": "#/components/schemas/C"}]},
    }
    with pytest.raises(CatalogueError, match=r"b\.json, GET /rentals/\{rental_id\}") as caught:
        read_openapi(with_answer(bikes, schema), "b.json")
    assert says in str(caught.value)


def test_too_many_operations_are_refused_with_what_there_is(bikes: Any) -> None:
    for number in range(MOST_OPERATIONS):
        bikes["paths"][f"/more/{number}"] = {"get": {"tags": ["More"], "responses": {}}}
    with pytest.raises(CatalogueError, match=r"has 258 operations.*--tag or --path\. Tags: More \(250\).*Paths: /more"):
        read_openapi(bikes, "b.json")
    assert len(read_openapi(bikes, "b.json", tags=["Rentals"]).operations) == 2


@pytest.mark.parametrize("document", [{}, {"tools": []}, {"result": {"tools": {}}}, "tools"])
def test_what_is_no_list_of_tools_is_refused(document: Any) -> None:
    with pytest.raises(CatalogueError, match=r"is missing or no list with entries.*--from-openapi"):
        read_mcp(document, "t.json")


def test_a_tool_without_a_name_is_refused() -> None:
    with pytest.raises(CatalogueError, match="tool 2: is not an object with a `name`"):
        read_mcp([{"name": "a"}, {"title": "b"}], "t.json")


def test_files_that_cant_be_read(tmp_path: Path) -> None:
    deep = "[" * 200_000
    for name, data, says in [
        ("a.json", b"openapi: 3.0.0", "is not JSON .*end in .yaml"),
        ("b.json", b"\xff\xfe{}", "is not UTF-8 text"),
        ("c.json", deep.encode(), "is nested too deeply"),
        ("none.json", None, "can't be read"),
    ]:
        if data is not None:
            (tmp_path / name).write_bytes(data)
        with pytest.raises(CatalogueError, match=says):
            load_document(tmp_path / name)


def test_yaml_that_is_none(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "a.yaml").write_text("a: [1\nb: {")
    with pytest.raises(CatalogueError, match=r"a\.yaml: is not YAML"):
        load_document(tmp_path / "a.yaml")
    # A document that holds itself is as good as one that ends.
    (tmp_path / "b.yml").write_text("&a {openapi: 3.0.0, paths: {/a: {get: {responses: {200: {content: *a}}}}}}")
    assert read_openapi(load_document(tmp_path / "b.yml"), "b.yml").operations[0].outputs == ()


def test_yaml_without_pyyaml_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(CatalogueError, match=r"needs PyYAML\. Install it with `pip install 'planbench-xl\[yaml\]'`"):
        load_document(LIBRARY)


def test_a_document_is_read_the_same_whatever_its_byte_order_mark(tmp_path: Path, bikes: Any) -> None:
    (tmp_path / "b.json").write_text("\ufeff" + json.dumps(bikes), encoding="utf-8")
    assert load_document(tmp_path / "b.json") == bikes
