planbench-xl run --world mini --quiet
planbench-xl export parquet mini --out world
planbench-xl export parquet runs/mini-explorer-default --out run
python -c "import pyarrow.parquet; assert pyarrow.parquet.read_table('run/episodes.parquet').num_rows == 11"
