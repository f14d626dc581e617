#!/usr/bin/env bash
# Packages every crate that is published, unpacks the packages beside each other and compiles them from there: what is
# missing in a package shows. Quicker than the verification of `cargo package`, which compiles all dependencies without
# optimisation once more: these are taken from `target/`, where the lints and tests have left them.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
place=$root/target/packages
rm -rf "$place" "$root"/target/package/*.crate
mkdir -p "$place"
# Files that are not committed are packaged as well, so that a change can be checked before.
cargo package --quiet --locked --workspace --exclude ludex-testkit --no-verify --allow-dirty
# The same profile and the same versions as here, or the dependencies would be compiled again.
{
    printf '[workspace]\nresolver = "3"\nmembers = ["*"]\n\n'
    sed -n '/^\[profile.release\]/,/^$/p' Cargo.toml
    printf '[patch.crates-io]\n'
} > "$place/Cargo.toml"
for package in target/package/*.crate; do
    # Files in packages are of the year 2006, and would be taken for those of the last time: -m makes them new.
    tar -xzmf "$package" -C "$place"
    folder=$(basename "$package" .crate)
    echo "${folder%-*} = { path = \"$folder\" }" >> "$place/Cargo.toml"
    for file in README.md LICENSE-MIT LICENSE-APACHE; do
        [ -s "$place/$folder/$file" ] || { echo "$folder has no $file"; exit 1; }
    done
done
cp Cargo.lock "$place/Cargo.lock"
cd "$place"
cargo check --quiet --release --workspace --target-dir "$root/target"
echo "$(ls -d ludex*-* | wc -l) packages compile from what is in them"
