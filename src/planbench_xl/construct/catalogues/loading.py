"""Reads a file of JSON or YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planbench_xl.construct.catalogues.errors import CatalogueError, fault

YAML_ENDINGS = (".yaml", ".yml")


def load_document(path: Path) -> Any:
    """Return what a file of JSON, or of YAML if its name ends so, holds.

    Raises:
        CatalogueError: It can't be read, or is neither; YAML needs PyYAML.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise fault(path.name, "", f"can't be read ({error.strerror})", "Check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise fault(path.name, "", "is not UTF-8 text", "Save it as UTF-8") from error
    try:
        return _yaml(text, path.name) if path.suffix.lower() in YAML_ENDINGS else _json(text, path.name)
    except RecursionError as error:
        raise fault(path.name, "", "is nested too deeply to be read", "Flatten it") from error


def _json(text: str, file: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        remedy = "Mend it; if it is YAML, let its name end in .yaml"
        raise fault(file, "", f"is not JSON ({error})", remedy) from error


def _yaml(text: str, file: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise needs_yaml(file) from error
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, TypeError) as error:
        problem = " ".join(str(error).split())
        raise fault(file, "", f"is not YAML ({problem})", "Mend that line") from error


def needs_yaml(file: str) -> CatalogueError:
    """Return the error that says how YAML can be read."""
    remedy = "Install it with `pip install 'planbench-xl[yaml]'`, or convert the file to JSON"
    return fault(file, "", "is YAML, which needs PyYAML", remedy)
