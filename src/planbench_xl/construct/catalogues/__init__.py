"""Drafts domain files from tool catalogues: OpenAPI documents and MCP tool lists."""

from __future__ import annotations

from planbench_xl.construct.catalogues.draft import Doubt, Draft, draft_domain
from planbench_xl.construct.catalogues.errors import CatalogueError
from planbench_xl.construct.catalogues.loading import load_document
from planbench_xl.construct.catalogues.mcp import read_mcp
from planbench_xl.construct.catalogues.model import Catalogue
from planbench_xl.construct.catalogues.openapi import read_openapi
from planbench_xl.construct.catalogues.toml import to_toml
from planbench_xl.construct.catalogues.trial import Trial, try_draft

__all__ = [
    "Catalogue",
    "CatalogueError",
    "Doubt",
    "Draft",
    "Trial",
    "draft_domain",
    "load_document",
    "read_mcp",
    "read_openapi",
    "to_toml",
    "try_draft",
]
