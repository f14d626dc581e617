#!/usr/bin/env bash
# Prints the path of a Chromium for the tests of the page. Looked for in this order: $LUDEX_CHROMIUM, the path; if there is
# none, Debian's package is installed, which needs root and a package index. Ends with status 1 and a sentence on standard
# error if that fails.
set -euo pipefail
if [ -n "${LUDEX_CHROMIUM:-}" ]; then
    echo "$LUDEX_CHROMIUM"
    exit
fi
for name in chromium chromium-browser google-chrome; do
    if command -v "$name"; then
        exit
    fi
done
if ! { command -v apt-get && apt-get install --quiet --yes --no-install-recommends chromium fonts-dejavu-core; } >&2; then
    echo "no Chromium on the path, and Debian's package could not be installed" >&2
    exit 1
fi
command -v chromium
