"""The arrows between packages, and what may be imported when."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import planbench_xl

ROOT = Path(planbench_xl.__file__).parent
BASE = {"errors"}
WORLD = BASE | {"world"}
ALLOWED = {
    "errors": set(),
    "engines": BASE,
    "world": BASE,
    "judging": WORLD,
    "paths": BASE,
    "episodes": WORLD,
    "blocking": WORLD | {"paths"},
    "retrieval": WORLD | {"episodes"},
    "backend": WORLD,
    "environment": WORLD | {"blocking", "retrieval", "backend", "episodes", "judging"},
    "protocols": WORLD | {"environment"},
    "agents": WORLD | {"environment", "paths"},
    "metrics": WORLD | {"episodes", "judging", "paths"},
    "statistics": WORLD | {"episodes", "metrics"},
    "analysis": WORLD | {"episodes", "judging", "paths", "metrics"},
    "report": WORLD | {"episodes", "metrics", "paths", "analysis", "statistics", "runs", "engines"},
    "construct": WORLD | {"paths", "blocking", "retrieval", "judging", "engines"},
    "audit": WORLD | {"paths", "blocking", "retrieval", "judging", "agents", "runs", "engines"},
    "runs": WORLD
    | {
        "engines",
        "environment",
        "protocols",
        "agents",
        "episodes",
        "metrics",
        "statistics",
        "blocking",
        "retrieval",
        "judging",
        "paths",
    },
    "exports": WORLD | {"environment", "protocols", "episodes", "metrics", "runs"},
    "doctor": WORLD,
    "submissions": WORLD | {"environment", "protocols", "episodes", "metrics", "runs"},
}
"""What each package may import of this project."""

LEAVES = ("cli", "harness", "integrations", "__init__", "__main__")
"""Packages that nothing else imports; they may import all of it."""

ON_USE = {("runs/loading.py", "harness")}
"""Leaves that a module imports when it is asked for what only they know: the logs of Inspect."""

OPTIONAL = {
    *("inspect_ai", "openai", "mcp", "gymnasium", "numpy", "matplotlib", "pyarrow", "yaml", "torch", "ray"),
    *("onnxruntime", "tokenizers"),
}
OWN = {
    "harness/": {"inspect_ai", "openai"},
    "integrations/mcp/": {"mcp"},
    "integrations/gym/": {"gymnasium", "numpy"},
    "statistics/": {"numpy"},
    "report/figures/": {"matplotlib", "numpy"},
}
"""Where an optional dependency may be imported at the top: whoever imports these does it on use."""

LAZY = {"rich", "multiprocessing", "concurrent"}


def imports(path: Path, *, top_level: bool) -> set[str]:
    """Return the modules that a file imports, at its top level or anywhere."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level else list(ast.walk(tree))
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_arrows() -> None:
    for path in ROOT.rglob("*.py"):
        package = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if package in LEAVES:
            continue
        assert package in ALLOWED, f"say in this test what {package} may import"
        for module in imports(path, top_level=False):
            parts = module.split(".")
            if (path.relative_to(ROOT).as_posix(), parts[-2] if len(parts) > 2 else "") in ON_USE:
                continue
            if parts[0] == "planbench_xl" and len(parts) > 1 and parts[1] != package:
                assert parts[1] in ALLOWED[package], f"{path.relative_to(ROOT)} imports {module}"


def test_no_optional_dependency_at_module_level() -> None:
    for path in ROOT.rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        own = set().union(*(modules for start, modules in OWN.items() if name.startswith(start)))
        for module in imports(path, top_level=True):
            assert module.split(".")[0] not in OPTIONAL - own, f"{name} imports {module} at its top level"


def test_importing_the_package_is_light() -> None:
    code = "import sys, planbench_xl; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {name.split(".")[0] for name in loaded} & {"rich", "msgspec", "sqlite3", "click"}
