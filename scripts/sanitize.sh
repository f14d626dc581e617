#!/usr/bin/env bash
# The tests that touch unsafe code (machine code, vector kernels, unchecked planes) under what finds wrong accesses to
# memory: the address sanitizer, Miri, and valgrind, which also sees into machine code. What is not there is said
# (NOT RUN). Slow: minutes. Not part of .ci/run.
#
# The sanitizer is an unstable option of the compiler. The toolchain at hand takes it with RUSTC_BOOTSTRAP=1: what is
# compiled is the crate with its dependencies, while the standard library stays as it comes, without instrumentation.
# Miri needs a nightly toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."

not_run() {
    echo "NOT RUN: $1 ($2)"
}

host=$(rustc -vV | sed -n 's/^host: //p')
lanes=(tictactoe_has_the_exact_distribution results_depend_on_the_seed_and_nothing_else those_who_are_stuck)

echo "==> address sanitizer"
# With a target named, the flags are for the crates alone, not for what runs while they are built.
sanitized() {
    RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
        cargo test --target "$host" --target-dir target/sanitize -p ludex-engine "$@"
}
if [ "$(uname -s)" = Linux ]; then
    # The profile of development: slots are checked by debug assertions too.
    sanitized --lib -- propnet
    sanitized --test lanes -- "${lanes[@]}"
    LUDEX_NATIVE=0 sanitized --test lanes -- "${lanes[@]}"
else
    not_run "address sanitizer" "the system is not Linux"
fi

echo "==> Miri"
if cargo +nightly miri --version > /dev/null 2>&1; then
    # No machine code there: the portable path, with its unchecked planes.
    cargo +nightly miri test --target-dir target/miri -p ludex-engine --lib -- propnet::lanes propnet::guards
else
    not_run "Miri" "no nightly toolchain with the component miri"
fi

echo "==> valgrind"
if command -v valgrind > /dev/null; then
    program=$(cargo test --release -p ludex-engine --lib --no-run --message-format=json 2> /dev/null |
        sed -n 's/.*"executable":"\([^"]*ludex_engine[^"]*\)".*/\1/p' | tail -1)
    # Compiled for the processor at hand, it has AVX2 there and no AVX-512.
    valgrind --quiet --error-exitcode=9 "$program" --test-threads=1 propnet::jit propnet::lanes::plan
else
    not_run "valgrind" "it is not installed"
fi
