#!/usr/bin/env bash
# Makes the bundle of CodeMirror 6 that the page of `ludex web` edits rules with, and the licences of what is in it:
# crates/ludex-web/page/vendor. The versions are fixed, so the same files come out.
#
#   scripts/vendor-codemirror.sh
#
# Needs node and npm with a package index. To take newer versions, change them here and read the difference.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/crates/ludex-web/page/vendor
packages=(
    @codemirror/autocomplete@6.20.4 @codemirror/commands@6.11.1 @codemirror/language@6.13.1 @codemirror/lint@6.9.8
    @codemirror/search@6.7.2 @codemirror/state@6.7.6 @codemirror/streamparser@6.0.0 @codemirror/view@6.43.15
    @lezer/common@1.5.5 @lezer/highlight@1.2.5 @lezer/lr@1.4.12
    @marijn/find-cluster-break@1.0.4 crelt@1.0.7 style-mod@4.1.4 w3c-keyname@2.2.8
)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --no-package-lock esbuild@0.28.2 "${packages[@]}"
# What the page takes of it (crates/ludex-web/page/editor.js).
cat > entry.js << 'ENTRY'
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from '@codemirror/autocomplete';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
export { lintKeymap, setDiagnostics } from '@codemirror/lint';
export { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
export { EditorState } from '@codemirror/state';
export { EditorView, drawSelection, dropCursor, highlightActiveLine, highlightSpecialChars, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
export { tags } from '@lezer/highlight';
ENTRY
mkdir -p "$out"
npx --no-install esbuild entry.js --bundle --format=esm --minify --legal-comments=none --charset=utf8 --log-level=warning \
    --banner:js='/* CodeMirror 6, bundled by scripts/vendor-codemirror.sh; the licences are in codemirror-LICENSE.txt. */' \
    --outfile="$out/codemirror.js"
{
    echo "codemirror.js was bundled by scripts/vendor-codemirror.sh of the packages below, which are under the MIT licence."
    for package in "${packages[@]}"; do
        name=${package%@*}
        printf '\n%s %s\n\n' "$name" "${package##*@}"
        cat "node_modules/$name/LICENSE"
    done
} > "$out/codemirror-LICENSE.txt"
