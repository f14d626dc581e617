#!/usr/bin/env bash
# Records the speed of Ludex beside other systems: records/speed*.csv.
#
#   scripts/bench-peers.sh [SECONDS]
#
# SECONDS: processor time for each game and engine, 5 unless said.
#
# Needs the public rule sheets and the figures of the peers: $LUDEX_SHARED, else ../shared.
# LUDEX names the binary; without it the release build is made first. Python 3, standard library only.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${LUDEX:-}" ]; then
    cargo build --release --quiet
    export LUDEX="${CARGO_TARGET_DIR:-target}/release/ludex"
fi
export LUDEX_SHARED="${LUDEX_SHARED:-../shared}"
exec python3 scripts/bench_peers.py "$@"
