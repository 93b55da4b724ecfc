"""Why episodes fail: a pure function of what was recorded and of the world, as the paper defines it."""
