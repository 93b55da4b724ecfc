"""Allows `python -m planbench_xl.cli`."""

from planbench_xl.cli import main

main()
