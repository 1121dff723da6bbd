"""Writes MIDI files of format 0, for the scripts of this folder."""

import struct


def quantity(n):
    """A number as MIDI files write lengths."""
    out = [n & 0x7F]
    while n := n >> 7:
        out.insert(0, n & 0x7F | 0x80)
    return bytes(out)


def write(path, events, end):
    """Writes events (second, bytes) that end at `end` s; a tick is 1/960 s."""
    track, last = b"", 0
    for second, message in sorted(events, key=lambda e: e[0]) + [(end, b"\xff\x2f\x00")]:
        tick = round(second * 960)
        track += quantity(tick - last) + message
        last = tick
    with open(path, "wb") as file:
        file.write(b"MThd" + struct.pack(">IHHH", 6, 0, 1, 480))
        file.write(b"MTrk" + struct.pack(">I", len(track)) + track)
