# Functions for scripts that drive a host and the plugin's window in it, to be sourced by bash. They need xdotool,
# xwininfo, xwd and Python 3.

# window NAME TRIES LOG
# Waits TRIES half seconds for a visible window with this name and prints its id; otherwise fails, and tells which
# windows there are and how the host's LOG ends.
window() {
    local name=$1 tries=$2 log=$3
    for _ in $(seq "$tries"); do
        xdotool search --onlyvisible --name "$name" 2>/dev/null | head -1 | grep . && return
        sleep 0.5
    done
    echo "FAILED no window \"$name\"" >&2
    xwininfo -root -tree | grep '"' >&2
    tail -5 "$log" >&2
    return 1
}

# inner ID
# Prints width and height of the plugin's own window in the host's window ID: of the largest one in it.
inner() {
    xwininfo -id "$1" -tree | grep -oE ' [0-9]+x[0-9]+\+' | tr 'x+' '  ' | sort -n | tail -1 | xargs
}

# resized ID WIDTH HEIGHT
# Gives the host's window another size and checks that the plugin's window in it follows, within 40 pixels that
# belong to the host.
resized() {
    local id=$1 width=$2 height=$3 shown
    xdotool windowsize "$id" "$width" "$height"
    for _ in $(seq 20); do
        sleep 0.5
        read -r -a shown <<<"$(inner "$id")"
        if ((width - shown[0] <= 40 && shown[0] <= width && height - shown[1] <= 40 && shown[1] <= height)); then
            echo "resized by the host: $width x $height, the plugin's window ${shown[*]}"
            return
        fi
    done
    echo "FAILED the plugin's window is ${shown[*]} in one of $width x $height" >&2
    return 1
}

# colours ID
# Prints how many colours the window shows, once they are 1000, or after a minute.
colours() {
    local id=$1 shown
    for _ in $(seq 60); do
        sleep 1
        shown=$(xwd -silent -id "$id" | python3 -c '
import struct, sys
dump = sys.stdin.buffer.read()
header = struct.unpack(">25I", dump[:100])
pixels = dump[header[0] + 12 * header[19]:]
print(len({pixels[i : i + 4] for i in range(0, len(pixels) - 3, 4)}))')
        [ "$shown" -ge 1000 ] && break
    done
    echo "$shown"
}
