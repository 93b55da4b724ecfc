planbench-xl run --world mini --quiet
planbench-xl run --world mini --agent oracle --quiet
planbench-xl report runs --out report --format svg,pdf,png
test -s report/index.html
planbench-xl compare runs/mini-explorer-default runs/mini-oracle-default
