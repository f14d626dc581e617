#!/bin/bash
# Builds what a machine with a GPU needs and puts it into target/gpu.tar.gz: the programs, the Python package, the scripts
# and the sheets. No CUDA is needed here. `gpu/scripts/gpu-suite.sh` runs it there. Sheets are looked for at $LUDEX_SHARED,
# else at ../shared. The package comes with what its tests need; numpy, torch and jax are the other machine's.
set -eu
cd "$(dirname "$0")/.."
shared=${LUDEX_SHARED:-../shared}
cargo build --locked --release -p ludex-cuda --features device --examples
cargo build --locked --release -p ludex-cli --features cuda
CARGO_TARGET_DIR="$PWD/target" cargo build --release --manifest-path python/Cargo.toml --features extension-module
gpu=target/gpu
rm -rf $gpu
mkdir -p $gpu/games $gpu/scripts $gpu/python/tests
cp target/release/examples/{playouts,batches,gpu_leaves} target/release/ludex $gpu/
cp -r python/ludex $gpu/python/
cp target/release/lib_ludex.so $gpu/python/ludex/_ludex.abi3.so
cp python/tests/{conftest,test_device}.py $gpu/python/tests/
python3 -m pip install --quiet --disable-pip-version-check --no-compile --target $gpu/python pytest ||
    echo "without pytest: the tests of the package will not run there"
strip $gpu/{playouts,batches,gpu_leaves,ludex} $gpu/python/ludex/_ludex.abi3.so
cp scripts/gpu-suite.sh scripts/bench-device.py $gpu/scripts/
cp "$shared"/games/*.kif $gpu/games/
# In the order of their networks, as far as those are known.
{
    awk -F, 'NR > 1 {gates = $3; if (gates == "") {gates = $8 + 0; if (gates == 0) gates = 1e9}; print gates, $1}' records/gpu-sheets.csv
    for sheet in $gpu/games/*.kif; do echo "1e8 $(basename "$sheet" .kif)"; done
} | sort -g | awk '!seen[$2]++ {print $2}' | while read -r sheet; do
    [ ! -f "$gpu/games/$sheet.kif" ] || echo "$sheet"
done > $gpu/scripts/sheets.txt
tar -C target -czf target/gpu.tar.gz gpu
du -sh $gpu target/gpu.tar.gz
