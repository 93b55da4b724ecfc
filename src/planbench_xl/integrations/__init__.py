"""Thin layers by which other frameworks play the environment. Each needs its own extra."""
