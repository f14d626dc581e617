#!/usr/bin/env bash
# The engines on the portable path, which every machine that is not an x86-64 gets: no machine code, no vector
# instructions. The tests are those of the network and the lanes, the only engines that have native code, and what runs
# is what `cargo test` has built already. Then the engines are built without the feature `native`, where the compiler sees
# to it that there is no unsafe code at all.
set -euo pipefail
cd "$(dirname "$0")/.."

# Of the whole workspace, because features of dependencies are those of all that is selected: with one crate alone they
# are fewer, and the engines would be compiled again.
# Left out is the comparison with the reference on all public sheets: it takes as long as all else, and the records of
# the oracle judge the same sheets.
LUDEX_NATIVE=0 cargo test --release --workspace --lib --test propnet --test lanes --test lanes_suite --test stepping \
    --test allocation -- --skip differential
cargo check --release -p ludex-engine --no-default-features --lib
