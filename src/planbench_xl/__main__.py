"""`python -m planbench_xl` is the command `planbench-xl`."""

from __future__ import annotations

from planbench_xl.cli import main

main()
