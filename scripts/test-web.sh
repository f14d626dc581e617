#!/usr/bin/env bash
# Plays on the page with a real Chromium: tests/web. With LUDEX_SLOW=1 all games, fifty tabs and a thousand matches as well.
# Screenshots are left in target/web/shots.
#
#   scripts/test-web.sh [FILE...]
#
# Needs Chromium, node (20 or later) and npm with a package index. Without them it says NOT RUN and ends with status 0, or
# with status 1 if LUDEX_REQUIRE_WEB is set.
set -euo pipefail
cd "$(dirname "$0")/.."
not_run() {
    mkdir -p target
    echo "NOT RUN: the tests of the page: $1" | tee -a target/not-run.txt >&2
    [ -z "${LUDEX_REQUIRE_WEB:-}" ]
    exit
}
command -v node > /dev/null || not_run "there is no node"
command -v npm > /dev/null || not_run "there is no npm"
LUDEX_CHROMIUM=$(scripts/get-chromium.sh) || not_run "there is no Chromium"
export LUDEX_CHROMIUM
folder=target/web
mkdir -p "$folder"
if [ ! -d "$folder/node_modules/playwright-core" ] || [ ! -d "$folder/node_modules/axe-core" ]; then
    echo '{ "private": true }' > "$folder/package.json"
    npm install --silent --no-audit --no-fund --no-package-lock --prefix "$folder" playwright-core@1.56.1 axe-core@4.11.0 \
        || not_run "the packages could not be installed"
fi
cargo build --quiet --locked --release -p ludex-cli
if [ $# -eq 0 ]; then
    set -- tests/web/*.test.mjs
fi
node --test --test-concurrency=1 "$@"
