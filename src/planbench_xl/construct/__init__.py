"""Construction: a domain file and a seed become a complete world (paper section 4)."""

from __future__ import annotations

from planbench_xl.construct.domain import Domain
from planbench_xl.construct.errors import DomainError
from planbench_xl.construct.pipeline import STAGES, build_world
from planbench_xl.construct.reading import find_domain, load_domain, packaged_domains
from planbench_xl.construct.recipe import Knobs, Recipe

__all__ = [
    "STAGES",
    "Domain",
    "DomainError",
    "Knobs",
    "Recipe",
    "build_world",
    "find_domain",
    "load_domain",
    "packaged_domains",
]
