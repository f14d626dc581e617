#!/usr/bin/env bash
# Builds the Python package into an environment of its own (target/python) and runs its tests, those of other libraries among them.
#
#   scripts/test-python.sh [PYTEST-ARGUMENT...]
#
# Needs python3 (3.11 or later) and a package index. Without either it says NOT RUN and ends with status 0, or with
# status 1 if LUDEX_REQUIRE_PYTHON is set.
set -euo pipefail
cd "$(dirname "$0")/.."
not_run() {
    echo "NOT RUN: the tests of the Python package: $1" >&2
    [ -z "${LUDEX_REQUIRE_PYTHON:-}" ]
    exit
}
folder="$PWD/target/python"
command -v python3 > /dev/null || not_run "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || not_run "python3 is older than 3.11"
mkdir -p target
exec 9> target/python.lock
flock 9
if [ ! -x "$folder/bin/pytest" ]; then
    python3 -m venv "$folder" || not_run "no environment could be made"
    "$folder/bin/pip" install --quiet --disable-pip-version-check maturin numpy pytest mypy pettingzoo gymnasium \
        || not_run "the packages could not be installed"
    # Not there for every machine; the tests that need one say so.
    "$folder/bin/pip" install --quiet --disable-pip-version-check open_spiel || true
fi
# The folder of the workspace: what its release build has compiled already is compiled once.
export CARGO_TARGET_DIR="$PWD/target"
PATH="$folder/bin:$PATH" "$folder/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --force-reinstall --no-deps .
"$folder/bin/python" -m mypy.stubtest ludex._ludex
# Classes of other libraries may be untyped.
"$folder/bin/python" -m mypy --strict --allow-subclassing-any --ignore-missing-imports python/ludex
"$folder/bin/pytest" -q -rs python/tests "$@"
