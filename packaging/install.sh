#!/bin/sh
# Copies plugins and presets into the user's folders; `PREFIX=/somewhere ./install.sh` into others.
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

# A copy is complete before it takes the old one's name.
put() {
    mkdir -p "$2"
    rm -rf "$2/.$1.new"
    cp -R "$1" "$2/.$1.new"
    rm -rf "${2:?}/$1"
    mv "$2/.$1.new" "$2/$1"
    echo "$2/$1"
}

put Touchback.clap "$clap"
put Touchback.vst3 "$vst3"
mkdir -p "$presets"
cp presets/*.vstpreset "$presets"
echo "$presets"
