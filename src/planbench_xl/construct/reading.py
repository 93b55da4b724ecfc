"""Finds, reads and checks a domain file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.construct.checks import check_domain
from planbench_xl.construct.domain import FORMAT, Domain
from planbench_xl.construct.errors import DomainError
from planbench_xl.errors import Fault
from planbench_xl.world.storage import decode_fault

PACKAGED = Path(__file__).parent.parent / "data" / "domains"
EXAMPLE = Path(__file__).parent / "example.toml"
"""A small domain file to start from."""

_STEP = re.compile(r"(entity|field|key|near|scenario)\[(\d+)\]\.?")


def packaged_domains() -> tuple[str, ...]:
    """Return the names of the domain files that come with the package."""
    return tuple(sorted(path.stem for path in PACKAGED.glob("*.toml")))


def find_domain(name_or_path: str | Path) -> Path:
    """Return the file of a packaged domain's name or of a path.

    Raises:
        DomainError: There is neither.
    """
    if str(name_or_path) in packaged_domains():
        return PACKAGED / f"{name_or_path}.toml"
    path = Path(name_or_path)
    if path.is_file():
        return path
    near = get_close_matches(str(name_or_path), packaged_domains(), 1)
    hint = f" (closest: '{near[0]}')" if near else ""
    problem = f"is neither a file nor the name of a packaged domain{hint}"
    remedy = f"Give the path of a domain file or one of: {', '.join(packaged_domains())}"
    raise DomainError([Fault(str(name_or_path), "", "", problem, remedy)])


def load_domain(name_or_path: str | Path) -> tuple[Domain, str]:
    """Read and check a domain file.

    Returns:
        The domain, and the SHA-256 of the file's bytes.

    Raises:
        DomainError: It can't be found, read or used; the message names file, entry, field and remedy.
    """
    path = find_domain(name_or_path)
    try:
        data = path.read_bytes()
        raw = tomllib.loads(data.decode())
    except OSError as error:
        problem = f"can't be read ({error.strerror})"
        raise DomainError([Fault(path.name, "", "", problem, "Check its permissions")]) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DomainError([Fault(path.name, "", "", f"is not valid TOML ({error})", "Mend that line")]) from error
    domain = parse_domain(raw, path.name)
    faults = check_domain(domain, path.name)
    if faults:
        raise DomainError(faults)
    return domain, sha256(data).hexdigest()


def parse_domain(raw: Mapping[str, Any], file: str) -> Domain:
    """Turn the content of a domain file into types.

    Raises:
        DomainError: It doesn't fit them, or is of another version of the layout.
    """
    if raw.get("format") != FORMAT:
        problem = f"is {raw.get('format')!r}, not {FORMAT}, the layout that this version reads"
        raise DomainError(
            [Fault(file, "", "format", problem, f"Write `format = {FORMAT}` and follow docs/building.md")]
        )
    try:
        return msgspec.convert(raw, Domain)
    except msgspec.ValidationError as error:
        fault = decode_fault(file, "", error)
        entry, field = _place(raw, fault.field)
        raise DomainError([Fault(file, entry, field, fault.problem, fault.remedy)]) from error


def _place(raw: Mapping[str, Any], path: str) -> tuple[str, str]:
    """Name the entry that a path like `entity[3].field[1].make` leads to."""
    entry, here = [], raw
    while match := _STEP.match(path):
        kind, number = match[1], int(match[2])
        try:
            here = here[kind][number]
        except (KeyError, IndexError, TypeError):
            break
        name = here.get("name") if isinstance(here, Mapping) else None
        entry.append(f"{kind} '{name}'" if name else f"{kind} {number + 1}")
        path = path[match.end() :]
    return ", ".join(entry), path
