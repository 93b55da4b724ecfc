"""Checks of the manifest, of names, of datatypes and of records."""

from __future__ import annotations

from collections import Counter

from planbench_xl.world.checks.report import Report, closest, show
from planbench_xl.world.checks.values import fits
from planbench_xl.world.model import Datatype
from planbench_xl.world.storage import FILES, IDENTIFIER

EXPECTED = {
    "number": "Write it as a number without quotes",
    "boolean": "Write true or false without quotes",
    "string": "Write it as text in quotes",
    "timestamp": "Write it as ISO 8601 text, as in 2026-04-01T09:12:00Z",
}


def check_head(report: Report) -> None:
    """The world has a name, a version, a domain and an overview."""
    for field in ("name", "version", "domain", "overview"):
        if not getattr(report.world, field).strip():
            report.add_to_head(field, "is empty", "Give it a text")


def check_names(report: Report) -> None:
    """Every entry has a name, and no two of the same kind share one."""
    for part, entry_type in FILES.items():
        field = IDENTIFIER[entry_type]
        first: dict[str, int] = {}
        for index, entry in enumerate(getattr(report.world, part)):
            name = getattr(entry, field)
            if not name.strip():
                report.at(part, index)(field, "is empty", "Give the entry a name of its own")
            elif name in first:
                problem = f"is used by entries {first[name] + 1} and {index + 1}"
                report.at(part, index)(field, problem, "Rename or remove one of them")
            else:
                first[name] = index


def check_datatypes(report: Report) -> None:
    """Datatypes are described, their aliases differ and their examples fit."""
    for index, datatype in enumerate(report.world.datatypes):
        add = report.at("datatypes", index)
        if not datatype.description.strip():
            add("description", "is empty", "Say in a sentence what the datatype holds")
        counts = Counter(alias.strip().lower() for alias in datatype.aliases)
        for number, alias in enumerate(datatype.aliases):
            if not alias.strip():
                add(f"aliases[{number}]", "is empty", "Write an alias or remove it")
            elif counts[alias.strip().lower()] > 1:
                counts[alias.strip().lower()] = 0
                add(f"aliases[{number}]", f"lists {show(alias)} more than once", "Keep one of them")
        if not fits(datatype.example, datatype.value_type):
            problem = f"{show(datatype.example)} is not a {datatype.value_type}"
            add("example", problem, EXPECTED[datatype.value_type])


def check_records(report: Report) -> None:
    """Records hold a fitting value or null for every datatype, and nothing else."""
    known = report.world.datatype
    for index, record in enumerate(report.world.records):
        add = report.at("records", index)
        for name, value in record.values.items():
            datatype: Datatype | None = known.get(name)
            if datatype is None:
                problem = f"is not a datatype{closest(name, known)}"
                add(f"values.{name}", problem, "Declare it in the datatypes, correct the name or remove the value")
            elif not fits(value, datatype.value_type):
                problem = f"{show(value)} is not a {datatype.value_type}"
                add(f"values.{name}", problem, EXPECTED[datatype.value_type])
        for name in known:
            if name not in record.values:
                add(f"values.{name}", "is missing", "Add the value, or null if there is none")
