#!/usr/bin/env bash
# Counts the instructions that random play takes, with valgrind: a measure that other programs on the machine
# do not disturb.
#
#   scripts/instructions.sh GAME...
#
# Prints for each game the instructions a state (a joint move, goals at the end included), building left out: two
# runs of different length, and the difference. LUDEX names the binary, else target/release/ludex; SECONDS_LONG
# how long the longer run plays, in processor time under valgrind (default 2); ENGINE the engine (default propnet).
set -euo pipefail
ludex="${LUDEX:-$(dirname "$0")/../target/release/ludex}"
engine="${ENGINE:-propnet}"
long="${SECONDS_LONG:-2}"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

# Instructions and states of a run of $2 seconds.
count() {
    local states
    states="$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" \
        "$ludex" bench "$1" --engine "$engine" --seconds "$2" --json | sed 's/.*"transitions":\([0-9]*\).*/\1/')"
    echo "$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log") $states"
}

for game in "$@"; do
    read -r short_instructions short_states < <(count "$game" 0.2)
    read -r long_instructions long_states < <(count "$game" "$long")
    awk -v name="$(basename "$game" .kif)" -v i="$((long_instructions - short_instructions))" \
        -v s="$((long_states - short_states))" 'BEGIN { printf "%-20s %8.0f instructions a state\n", name, i / s }'
done
