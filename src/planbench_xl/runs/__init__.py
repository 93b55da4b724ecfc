"""Settings, runs and suites: what is played, and where it is kept.

Import from the modules: `presets.load_setting`, `rollout.rollout`, `run.run`, `suite.run_suite`, `scores.score_folder`.
"""

from __future__ import annotations
