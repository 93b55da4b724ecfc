planbench-xl build --from-openapi "$1/tests/construct/catalogues/library.yaml" --out draft.toml
planbench-xl build draft.toml --check
