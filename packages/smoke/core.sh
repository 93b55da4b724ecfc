# The core: build, play, score. What needs an extra works, or says which.
planbench-xl build --example > domain.toml
planbench-xl build domain.toml --check
planbench-xl world validate mini
planbench-xl run --world mini --quiet
planbench-xl score runs/mini-explorer-default
planbench-xl analyse runs/mini-explorer-default
planbench-xl export chat runs/mini-explorer-default --out chat.jsonl --any-split
planbench-xl report runs --out report 2> told || grep "pip install 'planbench-xl\[report\]'" told
planbench-xl export parquet mini --out tables 2> told || grep "pip install 'planbench-xl\[parquet\]'" told
planbench-xl serve mcp --world mini --out served < /dev/null 2> told || grep "pip install 'planbench-xl\[mcp\]'" told
planbench-xl run --world mini --model mockllm/model --limit 1 --quiet 2> told || grep "pip install 'planbench-xl\[inspect\]'" told
planbench-xl run --world mini --engine ray --out spread --quiet 2> told || grep "pip install 'planbench-xl\[ray\]'" told
