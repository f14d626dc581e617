#!/usr/bin/env bash
# Prints the path of a clingo program, for the tests and tables that compare with answer-set programming.
# Looked for in this order: $LUDEX_CLINGO, the path, target/clingo; if there is none the PyPI package `clingo` is
# installed into a private environment at target/clingo, which needs python3 and a package index. Ends with
# status 1 and a sentence on standard error if that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${LUDEX_CLINGO:-}" ]; then
    echo "$LUDEX_CLINGO"
    exit
fi
if command -v clingo; then
    exit
fi
folder="$PWD/target/clingo"
program="$folder/bin/clingo"
mkdir -p target
# Tests run at the same time: one installs, the others wait.
exec 9> target/clingo.lock
flock 9
if [ ! -x "$program" ]; then
    if ! { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check 'clingo>=5.7,<6'; } >&2; then
        echo "no clingo on the path, and the PyPI package could not be installed" >&2
        exit 1
    fi
    # The package has no program of its own, only a module.
    printf '#!/bin/sh\nexec "%s" -m clingo "$@"\n' "$folder/bin/python" > "$program.new"
    chmod +x "$program.new"
    mv "$program.new" "$program"
fi
echo "$program"
