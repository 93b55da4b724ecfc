"""A griffe extension: gives msgspec structs the signature by which they are made, so that their fields show."""

from __future__ import annotations

from typing import Any

from griffe import Attribute, Class, Extension, Function, Parameter, ParameterKind, Parameters

BASES = {"msgspec.Struct", "Struct", "Data"}
"""Bases by which structs are told here: msgspec's, and the one in `world.model`."""


class StructSignatures(Extension):
    """Adds what msgspec generates and griffe can't see."""

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Add `__init__` to a struct."""
        if not {str(base) for base in cls.bases} & BASES or "__init__" in cls.members:
            return
        kind = ParameterKind.keyword_only if "kw_only" in cls.keywords else ParameterKind.positional_or_keyword
        fields = [
            Parameter(name, annotation=field.annotation, default=field.value, kind=kind)
            for name, field in cls.members.items()
            if isinstance(field, Attribute) and field.annotation is not None and "property" not in field.labels
        ]
        cls.set_member("__init__", Function("__init__", parameters=Parameters(*fields), lineno=cls.lineno))
