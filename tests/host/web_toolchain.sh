#!/usr/bin/env bash
# Unpacks Debian's compiler for browsers into a folder, for `cargo xtask web --toolchain FOLDER`:
#   web_toolchain.sh FOLDER
# The packages conflict with Debian's everyday compiler and are therefore not installed. They bring the source of
# the standard library, from which the target wasm32-unknown-unknown is built. Needs apt-get and dpkg; installs
# libgit2, with which this cargo is linked.
set -euo pipefail

folder=${1:?usage: web_toolchain.sh FOLDER}
[ -x "$folder/usr/bin/rustc" ] && exit

packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
# apt-get downloads as a user of its own.
chmod 777 "$packages"
(
    cd "$packages"
    apt-get update --quiet=2
    version=$(apt-cache depends libstd-rust-web-dev | sed -n 's/.*Depends: libstd-rust-web-\([0-9.]*\)$/\1/p' | head -1)
    llvm=$(apt-cache depends "libstd-rust-web-$version" | sed -n 's/.*Depends: \(libllvm[0-9]*\)$/\1/p' | head -1)
    apt-get download --quiet=2 rustc-web cargo-web libstd-rust-web-dev "libstd-rust-web-$version" rust-web-src "$llvm"
)
mkdir -p "$folder.new"
for package in "$packages"/*.deb; do
    dpkg -x "$package" "$folder.new"
done
libgit2=$(apt-cache depends cargo-web | sed -n 's/.*Depends: \(libgit2-[0-9.]*\)$/\1/p' | head -1)
[ -z "$libgit2" ] || dpkg -s "$libgit2" >/dev/null 2>&1 || apt-get install --quiet=2 -y "$libgit2" >/dev/null
mv "$folder.new" "$folder"
