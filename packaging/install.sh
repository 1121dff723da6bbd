#!/bin/sh
# Copies plugins and presets into the user's folders, or into those below PREFIX: `PREFIX=/somewhere ./install.sh`.
set -eu
cd "$(dirname "$0")"
home=${PREFIX:-$HOME}
case $(uname) in
Darwin)
    clap="$home/Library/Audio/Plug-Ins/CLAP"
    vst3="$home/Library/Audio/Plug-Ins/VST3"
    presets="$home/Library/Audio/Presets/Touchback/Touchback"
    ;;
*)
    clap="$home/.clap"
    vst3="$home/.vst3"
    presets="$home/.vst3/presets/Touchback/Touchback"
    ;;
esac

# The new copy is written under a temporary name and renamed when complete. Until then the old plugin keeps its
# name or its backup name (.old). An interrupted earlier run is repaired first.
put() {
    installed="${2:?}/${1:?}"
    new="$2/.$1.new"
    old="$2/.$1.old"
    mkdir -p "$2"
    if [ ! -e "$installed" ] && [ -e "$old" ]; then
        mv "$old" "$installed"
    fi
    rm -rf "$new" "$old"
    cp -R "$1" "$new"
    # mv replaces a file atomically, but moves a folder into an existing folder.
    if [ -d "$installed" ]; then
        mv "$installed" "$old"
    fi
    if ! mv "$new" "$installed"; then
        [ ! -e "$old" ] || mv "$old" "$installed"
        exit 1
    fi
    rm -rf "$old"
    echo "$installed"
}

put Touchback.clap "$clap"
put Touchback.vst3 "$vst3"
mkdir -p "$presets"
cp presets/*.vstpreset "$presets"
echo "$presets"
