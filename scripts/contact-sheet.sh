#!/usr/bin/env bash
# Draws every rule sheet of a folder and makes pages of thumbnails, to be looked at: target/contact/page-N.png, and what was
# found in target/contact/boards.tsv. Needs a Chromium for the pages (scripts/get-chromium.sh).
#
#   scripts/contact-sheet.sh [FOLDER [STEPS]]      # FOLDER: ../shared/games; STEPS random moves are made first
#   scripts/contact-sheet.sh --update              # also counts the kinds of boards into records/boards.csv
set -euo pipefail
cd "$(dirname "$0")/.."
update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
folder=${1:-../shared/games}
out=target/contact
rm -rf "$out"
cargo run --quiet --locked --release -p ludex-board --example contact -- "$folder" "$out" "${2:-0}"
if [ -n "$update" ]; then
    scripts/board_kinds.py "$out/boards.tsv"
fi
if ! chromium=$(scripts/get-chromium.sh); then
    echo "NOT RUN: pictures of the pages: there is no Chromium" >&2
    exit
fi
for page in "$out"/page-*.html; do
    "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1500,1500 \
        --screenshot="${page%.html}.png" "$page" 2> /dev/null
done
ls "$out"/page-*.png
