#!/bin/bash
# Builds what a machine with a GPU needs and puts it into dist/: the programs, the scripts and the sheets. No CUDA
# is needed here. `dist/scripts/gpu-suite.sh` runs it there. Sheets are looked for at $LUDEX_SHARED, else at ../shared.
set -eu
cd "$(dirname "$0")/.."
shared=${LUDEX_SHARED:-../shared}
cargo build --release -p ludex-cuda --features device --examples
rm -rf dist
mkdir -p dist/sheets dist/scripts
cp target/release/examples/{playouts,batches} dist/
strip dist/playouts dist/batches 2>/dev/null || true
cp scripts/gpu-suite.sh dist/scripts/
cp "$shared"/games/*.kif dist/sheets/
du -sh dist
