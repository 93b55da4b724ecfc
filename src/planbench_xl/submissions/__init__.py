"""Runs as one file to hand in, the check of such files, and the leaderboard made from them."""

from planbench_xl.submissions.board import write_board
from planbench_xl.submissions.checking import Verdict, verify
from planbench_xl.submissions.packing import pack

__all__ = ["Verdict", "pack", "verify", "write_board"]
