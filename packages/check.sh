#!/bin/sh
# Checks the packages beside this script: installs each, with the core of this checkout, in a fresh virtual environment
# of its own, and runs its tests. It takes minutes and about 1.5 GB of disk for a while, and needs a package index.
#
#   packages/check.sh                       all packages
#   packages/check.sh planbench-xl-openenv  only those named
#
# PYTHON names the interpreter (python3). The status is 0 if all passed, else 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

check() {
    package=$here/$1
    [ -f "$package/pyproject.toml" ] || { echo "There is no package $1 in $here." >&2; return 1; }
    "${PYTHON:-python3}" -m venv "$scratch/$1" || return 1
    bin=$scratch/$1/bin
    "$bin/pip" install --quiet --disable-pip-version-check "$here/.." "$package[test]" || return 1
    "$bin/pip" check || return 1
    (cd "$package" && PATH=$bin:$PATH "$bin/python" -m pytest -p no:cacheprovider --basetemp "$scratch/$1/tmp")
}

[ $# -gt 0 ] || set -- planbench-xl-verifiers planbench-xl-openenv
status=0
for name; do
    echo "== $name"
    if check "$name"; then echo "$name: passed"; else echo "$name: FAILED" >&2; status=1; fi
    rm -rf "${scratch:?}/$name"
done
exit $status
