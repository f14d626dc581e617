#!/usr/bin/env bash
# Prints what filters and sharing bring in the engine `tree`, game by game: the configurations take turns in one run.
#
#   scripts/bench-tree.sh [SECONDS] [GAME...]
#
# SECONDS: processor time for each game and configuration, 2 unless said. GAME: names of public sheets; the paper's
# seven unless said. Needs the public rule sheets: $LUDEX_SHARED, else ../shared.
set -euo pipefail
cd "$(dirname "$0")/.."
shared="${LUDEX_SHARED:-../shared}"
seconds="${1:-2}"
shift || true
if [ $# -eq 0 ]; then
    set -- tictactoe connectfour chinesecheckers2 checkers chess pacman3p othello-comp2007
fi
sheets=()
for game in "$@"; do
    sheets+=("$shared/games/$game.kif")
done
exec cargo run --release --quiet -p ludex-engine --example tree_options -- "$seconds" "${sheets[@]}"
