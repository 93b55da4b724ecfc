"""The checks behind `planbench_xl.world.validate`, one module per kind of entry."""
