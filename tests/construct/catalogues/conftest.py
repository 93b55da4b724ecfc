"""Small catalogues, one of each kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.construct.catalogues import Catalogue, load_document, read_mcp, read_openapi

HERE = Path(__file__).parent
BIKES, LIBRARY, KENNEL, DESK = (HERE / name for name in ("bikes.json", "library.yaml", "kennel.json", "desk.mcp.json"))


@pytest.fixture
def bikes() -> Any:
    """An OpenAPI 3.1 document, as it is in its file."""
    return json.loads(BIKES.read_text())


def catalogue(path: Path) -> Catalogue:
    if path.suffix == ".yaml":
        pytest.importorskip("yaml")
    read = read_mcp if "mcp" in path.name else read_openapi
    return read(load_document(path), path.name)
