#!/bin/sh
# Builds what a machine with a GPU needs and puts it into dist/: the programs and the sheets. No CUDA is needed here.
# `scripts/gpu-suite.sh` runs it there. Sheets are looked for at $LUDEX_SHARED, else at ../shared.
set -eu
cd "$(dirname "$0")/.."
shared=${LUDEX_SHARED:-../shared}
cargo build --release -p ludex-cuda --examples
rm -rf dist
mkdir -p dist/sheets
cp target/release/examples/playouts target/release/examples/source dist/
strip dist/playouts dist/source 2>/dev/null || true
for game in tictactoe connectfour breakthrough reversi checkers hex gomoku_15x15 chess; do
    cp "$shared/games/$game.kif" dist/sheets/
done
du -sh dist
