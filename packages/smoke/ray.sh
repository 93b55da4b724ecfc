unset RAY_ADDRESS
planbench-xl run --world mini --quiet --out local
planbench-xl run --world mini --quiet --out spread --engine ray --workers 2
for folder in local spread; do planbench-xl score "$folder" --json >"$folder.json"; done
diff <(sed 's/"local"//' local.json) <(sed 's/"spread"//' spread.json)
