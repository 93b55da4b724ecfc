"""Models as agents, through Inspect AI: the conversation of an episode, its journal, tasks, scorer and log reader.

Needs the extra `planbench-xl[inspect]`.
"""

from __future__ import annotations
