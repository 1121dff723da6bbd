"""Draws docs/model.svg: bodies, coordinates and contacts of middle C at rest, to scale.

    python3 examples/python/model_drawing.py target/release/touchback docs/model.svg

The numbers are those of `touchback model export`, the geometry that of `second_model.py`.
"""

import math
import pathlib
import subprocess
import sys
import tempfile

from second_model import B, C, J, K, R, W, Instant, Key, unit

SCALE = 2450.0
LEFT, TOP, WIDTH, HEIGHT = 0.232, 0.198, 1290, 560
# Height of the crown above the shank, m, and a damper farther right than its arm: for the drawing only.
CROWN, DAMPER = 0.0356, 0.272
COLOURS = {K: "#0072B2", W: "#009E73", J: "#D55E00", R: "#56B4E9", B: "#CC79A7", C: "#CC79A7"}
INK, FIXED = "#282C34", "#78808A"


def mm(x, y):
    return complex(x, y) * 1e-3


class Drawing:
    def __init__(self):
        self.lines = []

    @staticmethod
    def at(p):
        return f"{(p.real + LEFT) * SCALE:.1f},{(TOP - p.imag) * SCALE:.1f}"

    def path(self, points, colour, width=3, more=""):
        points = " ".join(self.at(p) for p in points)
        style = f'stroke="{colour}" stroke-width="{width}" stroke-linecap="round"'
        line = f'fill="none" {style} stroke-linejoin="round" {more} points="{points}"'
        self.lines.append(f"<polyline {line}/>")

    def circle(self, p, radius, colour, fill="none", width=2):
        x, y = self.at(p).split(",")
        style = f'fill="{fill}" stroke="{colour}" stroke-width="{width}"'
        self.lines.append(f'<circle cx="{x}" cy="{y}" r="{radius}" {style}/>')

    def text(self, p, content, colour=INK, size=15, anchor="middle"):
        x, y = self.at(p).split(",")
        style = (
            f'font-family="sans-serif" font-size="{size}" text-anchor="{anchor}" fill="{colour}"'
        )
        self.lines.append(
            f'<text x="{x}" y="{float(y) + 0.35 * size:.1f}" {style}>{content}</text>'
        )

    def arrow(self, points, colour, width=1.5):
        self.path(points, colour, width)
        tip, back = points[-1], points[-1] - points[-2]
        back *= 0.0035 / abs(back)
        self.path([tip - back * unit(0.45), tip, tip - back * unit(-0.45)], colour, width)

    def turn(self, pin, radius, start, end, name, colour):
        """An arc of a positive turn about `pin`, between angles in degrees, with a name."""
        steps = [start + (end - start) * i / 24 for i in range(25)]
        self.arrow([pin + radius * unit(math.radians(a)) for a in steps], colour)
        middle = math.radians(0.5 * (start + end))
        self.text(pin + (radius + 0.0065) * unit(middle), name, colour, 16)

    def number(self, p, toward, number):
        """A numbered contact at `p`, its number at `p + toward`."""
        label = p + toward
        self.path([p, label], FIXED, 1)
        self.circle(label, 9, INK, "#FFFFFF", 1)
        self.text(label, number, INK, 11)

    def svg(self):
        size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        head = f'<svg {size} xmlns="http://www.w3.org/2000/svg">'
        paper = '<rect width="100%" height="100%" fill="#FFFFFF"/>'
        return "\n".join([head, paper, *self.lines, "</svg>\n"])


def draw(key):
    d, now, q = Drawing(), Instant(key, key.start, [0.0] * 7), key.start
    e = now.turned
    p2, p3, jj, rr = key.p2, key.p3, now.jj, now.rr

    # Key with capstan, backcheck and the parts under it.
    front = key.key["front"]
    on_key = lambda p: p * e[K]
    end = DAMPER + 0.006
    d.path([on_key(-front), on_key(end)], COLOURS[K], 6)
    capstan = on_key(key.capstan)
    d.path([on_key(key.capstan.real), capstan], COLOURS[K], 4)
    d.circle(capstan, 4, COLOURS[K], COLOURS[K])
    face = on_key(key.face)
    check_way = 1j * key.face_normal * e[K] * 8e-3
    d.path([on_key(key.face.real), face], COLOURS[K], 3)
    d.path([face - check_way, face + check_way], COLOURS[K], 7)
    bed = complex(-front + 0.004, on_key(-front).imag - key.key["dip"] - 2e-3)
    d.path([bed - 6e-3, bed + 6e-3], FIXED, 7)
    rest = on_key(0.245) + mm(0, -4)
    d.path([rest - 8e-3, rest + 8e-3], FIXED, 7)
    d.path([mm(-5, -9), 0, mm(5, -9), mm(-5, -9)], FIXED, 2)

    # Wippen with the heel's line.
    body = lambda p: p2 + p * e[W]
    q7 = abs(((capstan - p2) / e[W]).real)
    heel = key.wippen["heel"]
    d.path([body(0), body(complex(key.jack_pin.real, 0)), jj], COLOURS[W], 5)
    d.path([body(complex(key.lever_pin.real, 0)), rr], COLOURS[W], 4)
    line = [body(complex(-q7 - 12e-3, -heel)), body(complex(-q7 + 12e-3, -heel))]
    d.path(line, COLOURS[W], 4)
    d.path([body(complex(-q7, -heel)), body(complex(-q7, 0))], COLOURS[W], 3)
    d.path(
        [body(complex(-q7, -heel)), body(complex(0, -heel)), p2],
        COLOURS[W],
        1,
        'stroke-dasharray="5 4"',
    )
    d.text(body(complex(-0.45 * q7, -heel - 6e-3)), "q7", COLOURS[W], 16)

    # Jack: toe, fly, head with flat, corner and side.
    j = key.jack
    fly = key.fly * e[J]
    across = -1j * fly
    toe = jj + key.toe * e[J]
    flat = jj + fly * j["length"]
    radius = j["corner_radius"]
    corner = jj + fly * (j["length"] - radius) + across * j["corner"]
    side = corner + across * radius
    d.path([toe, jj], COLOURS[J], 4)
    outline = [jj + across * (j["corner"] + radius), side, corner + (across + fly) * radius * 0.7]
    outline += [corner + fly * radius, flat - across * 2.5e-3, jj - across * 2.5e-3]
    d.path([*outline, outline[0]], COLOURS[J], 2)
    d.path([jj, flat], COLOURS[J], 1, 'stroke-dasharray="5 4"')
    button = complex(toe.real, j["button_height"])
    d.path([button - 4e-3, button + 4e-3], FIXED, 5)
    d.path([button, button + mm(0, 12)], FIXED, 2)

    # Repetition lever and drop screw.
    way = key.surface * e[R]
    height, reach = key.lever["surface_height"], key.lever["drop_reach"]
    foot = rr + 1j * way * height
    d.path([foot - way * (reach + 6e-3), foot + way * 6e-3], COLOURS[R], 4)
    d.path([rr, foot], COLOURS[R], 4)
    screw = complex((foot - way * reach).real, key.lever["drop_height"])
    d.path([screw - 4e-3, screw + 4e-3], FIXED, 5)
    d.path([screw, screw + mm(0, 26)], FIXED, 2)

    # Hammer: butt with knuckle, hinge, shank, head with tail; string, rail.
    hammer = key.hammer
    middle, lowest = p3 + key.middle * e[B], p3 + key.lowest * e[B]
    hinge = p3 + hammer["shank"]["hinge"] * e[B]
    crown = p3 + hammer["crown"] * e[C]
    head = unit((q[C] - (1.0 - key.share) * q[B]) / key.share)
    top = crown + 1j * head * CROWN
    tail = crown + key.tail * head
    d.path([p3, hinge, crown], COLOURS[C], 4)
    d.path([tail, crown, top], COLOURS[C], 9)
    d.circle(middle, hammer["knuckle_radius"] * SCALE, COLOURS[C], "none", 2)
    d.circle(hinge, 4, COLOURS[C], "#FFFFFF")
    d.text(hinge + mm(4, 6), "β", COLOURS[C], 16)
    string = p3.imag + CROWN
    d.path([complex(0.12, string), complex(DAMPER + 0.012, string)], FIXED, 2)
    rail = p3 + 0.8 * hammer["crown"] * unit(-hammer["rail"] / hammer["crown"])
    d.path([rail - 6e-3, rail + 6e-3], FIXED, 6)
    d.path([complex(top.real, string), top], FIXED, 1, 'stroke-dasharray="3 4"')
    d.text(complex(top.real + 9e-3, 0.5 * (string + top.imag)), "−z", INK, 15)

    # Damper: wire from the key to the string.
    foot = complex(DAMPER, on_key(end).imag + 5e-3)
    seat = complex(DAMPER, string)
    d.path([foot, seat + mm(0, 3)], INK, 2)
    d.path([foot - 5e-3, foot + 5e-3], INK, 4)
    d.path([seat + mm(-6, 3), seat + mm(6, 3)], INK, 7)
    d.path([foot + mm(-9, 10), foot + mm(-2, 10)], FIXED, 5)
    d.path([seat + mm(-5, 14), seat + mm(5, 14)], FIXED, 5)
    d.arrow([seat + mm(-12, 0), seat + mm(-12, 9)], INK)
    d.text(seat + mm(-16, 5), "y", INK, 16)

    # Pins and coordinates.
    for pin, name, shift in (
        (0j, "P1", mm(0, -14)),
        (p2, "P2", mm(8, -5)),
        (p3, "P3", mm(-9, 5)),
        (jj, "JJ", mm(9, -6)),
        (rr, "RR", mm(-10, -2)),
    ):
        d.circle(pin, 4, INK, "#FFFFFF")
        d.text(pin + shift, name)
    d.turn(0j, 0.045, 180, 200, "q1", COLOURS[K])
    d.turn(p2, 0.016, 200, 290, "q5", COLOURS[W])
    d.turn(jj, 0.02, 195, 285, "q6", COLOURS[J])
    d.turn(rr, 0.016, 20, 120, "q3", COLOURS[R])
    d.turn(p3, 0.075, 4, 22, "q2", COLOURS[C])
    d.turn(p3, 0.03, -8, 32, "φ", COLOURS[C])
    d.arrow([mm(-215, 150), mm(-190, 150)], INK)
    d.arrow([mm(-215, 150), mm(-215, 175)], INK)
    d.text(mm(-185, 150), "x, toward the strings", INK, 15, "start")
    d.text(mm(-215, 180), "y", INK)
    d.arrow([on_key(-front) + mm(0, 30), on_key(-front) + mm(0, 4)], INK, 2.5)
    d.text(on_key(-front) + mm(4, 24), "drive", INK, 15, "start")

    # Contacts, by the numbers of the page's table.
    touch = flat + across * 1e-3
    for p, toward, number in (
        (touch, mm(-17, 3), 1),
        (lowest, mm(20, -3), 2),
        (toe, mm(-14, 4), 3),
        (screw, mm(-14, -5), 4),
        (tail, mm(13, -7), 5),
        (jj - across * 2.5e-3 + fly * 8e-3, mm(-14, 2), "6"),
        (jj + across * 2.7e-3 + fly * 8e-3, mm(14, 3), "7"),
        (rr, mm(14, 1), "8"),
        (rr, mm(12, -8), "9"),
        (complex(top.real, string), mm(-14, 6), 10),
        (rail, mm(-14, -5), 11),
        (bed, mm(14, -3), 12),
        (rest, mm(0, -8), 13),
        (foot, mm(-14, -1), 14),
        (seat, mm(14, -6), 15),
        (foot + mm(-6, 10), mm(-11, 6), 16),
        (seat + mm(0, 14), mm(14, 0), 17),
    ):
        d.number(p, toward, number)
    for p, name, body in (
        (on_key(-0.12) + mm(0, 6), "key", K),
        (body(complex(-0.03, 6e-3)), "wippen", W),
        (jj + fly * 0.03 + mm(-14, 0), "jack", J),
        (screw + mm(-7, -13), "repetition lever", R),
        (p3 + 0.085 * e[C] + mm(4, 7), "hammer", C),
    ):
        d.text(p, name, COLOURS[body], 15)
    inset(d, key)
    return d.svg()


def inset(d, key):
    """The jack's head and the knuckle, eight times as large and with the fly upright."""
    at = lambda x, y: mm(-80, 92) + 8.0 * complex(x, y)
    radius, knuckle = key.jack["corner_radius"], key.hammer["knuckle_radius"]
    width = key.jack["corner"]
    normal = unit(math.radians(62.0))
    middle = (knuckle + radius - 0.5e-3) * normal
    arc = [radius * unit(math.radians(a)) for a in range(0, 91, 6)]
    head = [complex(radius, -7e-3), *arc, complex(-width - 3e-3, radius)]
    d.path([at(p.real, p.imag) for p in head], COLOURS[J], 3)
    d.circle(at(middle.real, middle.imag), 8.0 * knuckle * SCALE, COLOURS[C])
    d.path([at(-width, -7e-3), at(-width, radius)], COLOURS[J], 1, 'stroke-dasharray="5 4"')
    d.text(at(-width, -7.7e-3), "fly", COLOURS[J])
    dots = 'stroke-dasharray="3 4"'
    d.path([at(0, 0), at(middle.real, 0), at(middle.real, middle.imag)], FIXED, 1, dots)
    d.text(at(0.5 * middle.real, -0.6e-3), "X")
    d.text(at(middle.real + 0.6e-3, 0.4 * middle.imag), "Y")
    d.path([at(0, 0), at(middle.real, middle.imag)], INK, 1)
    d.text(at(0.62 * middle.real - 0.7e-3, 0.62 * middle.imag), "d")
    for p, name, shift in (
        (0j, "O", complex(-0.6e-3, -0.6e-3)),
        (middle, "M", complex(0.9e-3, -0.2e-3)),
    ):
        d.circle(at(p.real, p.imag), 3, INK, INK)
        d.text(at((p + shift).real, (p + shift).imag), name)
    far = middle + 2e-3 * normal
    d.arrow([at(middle.real, middle.imag), at(far.real, far.imag)], INK)
    d.text(at(far.real + 0.6e-3, far.imag), "N")
    foot = complex(-width - 3.5e-3, -6e-3)
    for way, name in ((1j, "a"), (1.0, "b")):
        tip = foot + 2e-3 * way
        d.arrow([at(foot.real, foot.imag), at(tip.real, tip.imag)], COLOURS[J])
        tip += 0.6e-3 * way
        d.text(at(tip.real, tip.imag), name, COLOURS[J])


def main(touchback, out):
    with tempfile.TemporaryDirectory() as folder:
        model = str(pathlib.Path(folder, "40.toml"))
        subprocess.run([touchback, "model", "export", "--key", "40", "-o", model], check=True)
        svg = draw(Key(model))
    pathlib.Path(out).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
