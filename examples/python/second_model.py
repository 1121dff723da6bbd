"""A second model of one key of the grand action, from docs/model.md and exported numbers.

`compare_models.py` plays the same gestures on it and on `touchback simulate`. The formulation is not
the program's, which eliminates the wippen and integrates five relative speeds by Runge-Kutta in steps
of 125 µs. Here every body has its absolute angle, the two halves of the hammer's shank are two bodies,
the capstan is a constraint whose force is found, and every contact is a force between two points,
whose torques follow from lever arms. Capstan, imposed motion and all Coulomb friction are solved
together for the speeds at the end of each step of 10 µs (semi-implicit Euler).

Vectors are complex numbers: x toward the strings, y up, in m. Arms are pairs of a body and the speed
of a point along a direction per unit of the body's speed; a force along that direction has the same
arms. Needs Python 3.11.
"""

import math
import pathlib
import tomllib

STEP = 10e-6
GRAVITY = 9.80665
TRAY = -3e-3
# Key, wippen, jack, repetition lever, butt, crown with the head, damper: indices of angles and speeds.
K, W, J, R, B, C, D = BODIES = range(7)
# Most sweeps over the frictions, and the largest change of a slide in the last, m/s or rad/s.
SWEEPS, CONVERGED = 60, 1e-11
# Share of the capstan's distance from the heel's line that a step takes back.
MEND = 0.1


def dot(a, b):
    return a.real * b.real + a.imag * b.imag


def cross(a, b):
    return a.real * b.imag - a.imag * b.real


def unit(angle):
    return complex(math.cos(angle), math.sin(angle))


def point(table):
    return complex(table["x"], table["y"])


def less(arms, others):
    """Arms of one point relative to another."""
    return arms + [(i, -a) for i, a in others]


def along(arms, speeds):
    return sum(a * speeds[i] for i, a in arms)


def felt(numbers, depth, rate):
    """Force of a felt that is compressed by `depth` at the speed `rate`."""
    if depth <= 0.0:
        return 0.0
    stiffness, exponent, damping, hysteresis, speed, growth = numbers
    load = stiffness * depth**exponent
    turning = math.sqrt(rate * rate + speed * speed + (growth * load) ** 2)
    return load * max(0.0, 1.0 + damping * rate + hysteresis * rate / turning)


FELT = ("stiffness", "exponent", "damping", "hysteresis", "reversal_speed", "reversal_growth")


class Key:
    """The numbers of one key from its exported file, and the start."""

    def __init__(self, path):
        file = tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        m = file["model"]
        self.key, self.wippen, self.jack, self.lever = m["key"], m["wippen"], m["jack"], m["lever"]
        self.hammer, self.check, self.damper = m["hammer"], m["check"], m["damper"]
        self.felts = {"string": tuple(m["string"][name] for name in FELT)}
        for part in ("key", "jack", "lever", "hammer", "check", "damper"):
            for name, table in m[part].items():
                if name.endswith("felt"):
                    self.felts[f"{part}.{name}"] = tuple(table[n] for n in FELT)
        h, shank = self.hammer, self.hammer["shank"]
        self.share = 1.0 - shank["hinge"] / h["crown"]
        self.p2, self.p3 = point(self.wippen["pivot"]), point(h["pivot"])
        self.jack_pin = point(self.wippen["jack_pivot"])
        self.lever_pin = point(self.wippen["lever_pivot"])
        self.capstan = point(self.key["capstan"])
        self.toe, self.fly = point(self.jack["toe"]), unit(self.jack["lean"] + math.pi / 2)
        self.surface = unit(self.lever["surface_angle"])
        self.under_screw = complex(-self.lever["drop_reach"], self.lever["surface_height"])
        self.rolling = self.lever.get("knuckle_radius", 0.0)
        self.roller = complex(h["knuckle"], self.rolling - h["knuckle_depth"])
        self.middle = complex(h["knuckle"], h["knuckle_radius"] - h["knuckle_depth"])
        self.tail = point(self.check["tail"]) - h["crown"]
        self.face, self.face_normal = point(self.check["face"]), unit(self.check["normal"])
        riding = (self.jack["mass"], self.jack_pin), (self.lever["mass"], self.lever_pin)
        # First moments, kg·m.
        self.of_wippen = self.wippen["mass"] * point(self.wippen["centre"])
        self.of_wippen += sum(mass * pin for mass, pin in riding)
        self.of_jack = self.jack["mass"] * point(self.jack["centre"])
        self.of_lever = self.lever["mass"] * point(self.lever["centre"])
        self.of_hammer = h["mass"] * point(h["centre"])
        self.inertia = [
            self.key["inertia"],
            self.wippen["inertia"] + sum(mass * abs(pin) ** 2 for mass, pin in riding),
            self.jack["inertia"],
            self.lever["inertia"],
            shank["butt"] * h["inertia"],
            (1.0 - shank["butt"]) * h["inertia"],
            self.damper["mass"],
        ]
        key, hammer, lever, damper = file["start"]
        to = self.capstan * unit(key) - self.p2
        heel = self.wippen["heel"]
        turned = to / complex(-math.sqrt(abs(to) ** 2 - heel**2), -heel)
        wippen = math.atan2(turned.imag, turned.real)
        jack = wippen + self.jack["stop"] + file["start_jack"]
        self.start = [
            key,
            wippen,
            jack,
            lever,
            hammer - self.share * file["start_bend"],
            hammer,
            damper,
        ]

    def depth(self, q):
        return self.key["front"] * (q[K] - self.key["rest_angle"])


class Instant:
    """Forces and frictions at the positions `q` and speeds `v`, without those of drive and capstan."""

    def __init__(self, key, q, v):
        self.key, self.q, self.v = key, q, v
        self.forces = [0.0] * 7
        # Frictions: name, arms of the slide, and bound; that of the capstan is not known yet.
        self.frictions = []
        self.turned = [unit(a) for a in q[:D]]
        self.to_jj, self.to_rr = key.jack_pin * self.turned[W], key.lever_pin * self.turned[W]
        self.jj, self.rr = key.p2 + self.to_jj, key.p2 + self.to_rr
        self.jack_moment, self.lever_moment = (
            key.of_jack * self.turned[J],
            key.of_lever * self.turned[R],
        )
        self.weights()
        self.springs()
        self.on_jack()
        self.on_lever()
        self.on_tail()
        self.on_coordinates()

    def jack_arms(self, at, way):
        return [(J, cross(at - self.jj, way)), (W, cross(self.to_jj, way))]

    def lever_arms(self, at, way):
        return [(R, cross(at - self.rr, way)), (W, cross(self.to_rr, way))]

    def butt_arms(self, at, way):
        return [(B, cross(at - self.key.p3, way))]

    def contact(self, name, arms, depth):
        """The force of a contact of `depth` that opens along `arms`."""
        if depth <= 0.0:
            return 0.0
        force = felt(self.key.felts[name], depth, -along(arms, self.v))
        for i, a in arms:
            self.forces[i] += a * force
        return force

    def weights(self):
        """Weights, and the velocity products of the two pins that move."""
        k, f, v = self.key, self.forces, self.v
        f[K] += k.key["lead_torque"]
        f[W] -= GRAVITY * (k.of_wippen * self.turned[W]).real
        f[J] -= GRAVITY * self.jack_moment.real
        f[R] -= GRAVITY * self.lever_moment.real
        f[C] -= GRAVITY * (k.of_hammer * self.turned[C]).real
        jack, lever = cross(self.to_jj, self.jack_moment), cross(self.to_rr, self.lever_moment)
        f[W] += jack * v[J] ** 2 + lever * v[R] ** 2
        f[J] -= jack * v[W] ** 2
        f[R] -= lever * v[W] ** 2

    def springs(self):
        """Springs and stops of jack, lever and shank, and the pins' frictions."""
        k, f, q, v = self.key, self.forces, self.q, self.v
        for body, part, far, damping in (
            (J, k.jack, "window", 0.0),
            (R, k.lever, "travel", k.lever["damping"]),
        ):
            stop = k.felts["jack.stop_felt" if body == J else "lever.stop_felt"]
            turn, turning = q[body] - q[W] - part["stop"], v[body] - v[W]
            torque = part["spring_torque"] + part["spring_rate"] * turn + damping * turning
            torque += felt(stop, turn - part[far], turning) - felt(stop, -turn, -turning)
            f[body] -= torque
            f[W] += torque
        shank = k.hammer["shank"]
        bend, bending = (q[C] - q[B]) / k.share, (v[C] - v[B]) / k.share
        torque = (shank["stiffness"] * bend + shank["damping"] * bending) / k.share
        f[C] -= torque
        f[B] += torque
        self.frictions += [
            ("key", [(K, 1.0)], k.key["friction"]),
            ("hammer", [(B, 1.0)], k.hammer["friction"]),
            ("lever", [(R, 1.0), (W, -1.0)], k.lever["friction"]),
        ]

    def on_jack(self):
        """Knuckle on the jack's head, a circle on flat, round corner or side; toe on the button."""
        k, j = self.key, self.key.jack
        radius, fly = j["corner_radius"], k.fly * self.turned[J]
        across = -1j * fly
        centre = k.p3 + k.middle * self.turned[B]
        apart = centre - self.jj - fly * (j["length"] - radius) - across * j["corner"]
        x, y = dot(apart, across), dot(apart, fly)
        if x > 0.0 and y > 0.0:
            distance = math.hypot(x, y)
            normal = (across * x + fly * y) / distance
        else:
            distance, normal = (x, across) if x > y else (y, fly)
        squeezed = k.hammer["knuckle_radius"] + radius - distance
        if squeezed > 0.0:
            at, way = centre - normal * (distance - radius), -1j * normal
            arms = less(self.butt_arms(at, normal), self.jack_arms(at, normal))
            force = self.contact("hammer.knuckle_felt", arms, squeezed)
            slide = less(self.jack_arms(at, way), self.butt_arms(at, way))
            self.frictions.append(("knuckle", slide, k.hammer["knuckle_friction"] * force))
        at = self.jj + k.toe * self.turned[J]
        force = self.contact(
            "jack.button_felt", self.jack_arms(at, -1j), at.imag - j["button_height"]
        )
        self.frictions.append(("button", self.jack_arms(at, 1.0), j["button_friction"] * force))

    def on_lever(self):
        """Knuckle, which rolls, on the lever's surface; lever on the drop screw."""
        k, lever = self.key, self.key.lever
        way = k.surface * self.turned[R]
        normal = 1j * way
        at = k.p3 + k.roller * self.turned[B] - k.rolling * normal
        arms = less(self.butt_arms(at, normal), self.lever_arms(at, normal))
        squeezed = lever["surface_height"] - dot(at - self.rr, normal)
        force = self.contact("lever.knuckle_felt", arms, squeezed)
        slide = less(self.butt_arms(at, way), self.lever_arms(at, way))
        self.frictions.append(("on lever", slide, lever["knuckle_friction"] * force))
        at = self.rr + k.under_screw * way
        self.contact("lever.drop_felt", self.lever_arms(at, -1j), at.imag - lever["drop_height"])

    def on_tail(self):
        """Tail on the backcheck; the head turns about the crown as the shank bends."""
        k, q, share = self.key, self.q, self.key.share
        to_crown = k.hammer["crown"] * self.turned[C]
        from_crown = k.tail * unit((q[C] - (1.0 - share) * q[B]) / share)
        at = k.p3 + to_crown + from_crown
        normal = k.face_normal * self.turned[K]
        squeezed = dot(k.face * self.turned[K] - at, normal)
        if squeezed <= 0.0:
            return

        def arms(way):
            bent = cross(from_crown, way) / share
            tail = [(C, cross(to_crown, way) + bent), (B, -(1.0 - share) * bent)]
            return less(tail, [(K, cross(at, way))])

        force = self.contact("check.felt", arms(normal), squeezed)
        self.frictions.append(("check", arms(-1j * normal), k.check["friction"] * force))

    def on_coordinates(self):
        """String and rest rail at the crown, bed and rest felt at the front, the damper."""
        k, q = self.key, self.q
        crown, front, depth = k.hammer["crown"], k.key["front"], k.depth(q)
        self.contact("string", [(C, -crown)], crown * q[C])
        self.contact("hammer.rail_felt", [(C, crown)], -crown * q[C] - k.hammer["rail"])
        self.contact("key.bed_felt", [(K, -front)], depth - k.key["dip"])
        self.contact("key.rest_felt", [(K, front)], k.key["rest_compression"] - depth)
        d = k.damper
        if d["present"]:
            self.forces[D] -= d["weight"] + d["damping"] * self.v[D]
            lifted = d["arm"] / front * (depth - d["pickup"])
            self.contact("damper.lift_felt", [(D, 1.0), (K, -d["arm"])], lifted - q[D])
            self.contact("damper.seat_felt", [(D, 1.0)], -q[D])
            self.contact("damper.lift_felt", [(D, 1.0)], TRAY - q[D])
            self.contact("damper.top_felt", [(D, -1.0)], q[D] - d["top"])
            self.frictions.append(("damper", [(D, 1.0)], d["friction"]))

    def accelerations(self, forces, inverse):
        """Those of all bodies by `forces`, with the key off its capstan."""
        a = [f * i for f, i in zip(forces, inverse)]
        jack, lever = dot(self.to_jj, self.jack_moment), dot(self.to_rr, self.lever_moment)
        inertia = self.key.inertia[W] - jack * jack * inverse[J] - lever * lever * inverse[R]
        a[W] = (forces[W] - jack * a[J] - lever * a[R]) / inertia
        a[J] -= jack * a[W] * inverse[J]
        a[R] -= lever * a[W] * inverse[R]
        return a

    def response(self, arms, inverse):
        """Speeds by a unit impulse with these arms."""
        forces = [0.0] * 7
        for i, a in arms:
            forces[i] += a
        return self.accelerations(forces, inverse)


class Capstan:
    """The capstan's centre on the heel's line, and the impulse that keeps it there."""

    def __init__(self, now, inverse):
        k = now.key
        at = k.capstan * now.turned[K]
        to, way = at - k.p2, now.turned[W]
        self.arms = [(K, cross(at, 1j * way)), (W, -cross(to, 1j * way))]
        self.slide = [(K, cross(at, way)), (W, -cross(to, way))]
        self.moved = now.response(self.arms, inverse)
        self.mass = 1.0 / along(self.arms, self.moved)
        self.impulse = 0.0
        self.mended = MEND * (dot(to, 1j * way) + k.wippen["heel"]) / STEP

    def hold(self, speeds):
        """The speeds with the capstan on the line."""
        self.impulse = -(along(self.arms, speeds) + self.mended) * self.mass
        return [u + self.impulse * a for u, a in zip(speeds, self.moved)]

    def held(self, moved):
        """A response of the bodies with the capstan on the line, and the capstan's share."""
        impulse = -along(self.arms, moved) * self.mass
        return [a + impulse * b for a, b in zip(moved, self.moved)], impulse


def rub(now, capstan, speeds, inverse, last):
    """The speeds after friction: impulses that stop the slides, within bounds, found together.

    `last` has those of the step before by name, from which the search begins, and gets the new ones.
    """
    rows = []
    for name, arms, bound in [*now.frictions, ("capstan", capstan.slide, None)]:
        moved, by_capstan = capstan.held(now.response(arms, inverse))
        compliance = along(arms, moved)
        # An imposed motion leaves nothing to stop.
        if bound == 0.0 or compliance < 1e-6:
            continue
        impulse = last.get(name, 0.0)
        speeds = [u + impulse * a for u, a in zip(speeds, moved)]
        capstan.impulse += impulse * by_capstan
        rows.append([impulse, name, arms, bound, moved, by_capstan, compliance])
    for _ in range(SWEEPS):
        largest = 0.0
        for row in rows:
            impulse, _, arms, bound, moved, by_capstan, compliance = row
            if bound is None:
                most = now.key.key["capstan_friction"] * abs(capstan.impulse)
            else:
                most = bound * STEP
            stopping = impulse - along(arms, speeds) / compliance
            change = min(max(stopping, -most), most) - impulse
            if change:
                row[0] += change
                speeds = [u + change * a for u, a in zip(speeds, moved)]
                capstan.impulse += change * by_capstan
                largest = max(largest, abs(change) * compliance)
        if largest < CONVERGED:
            break
    last.clear()
    last.update((row[1], row[0]) for row in rows)
    return speeds


def simulate(key, hand, seconds, strokes):
    """Time, s, and speed, m/s, of the strikes of `key` under `hand`, up to the number `strokes`."""
    inverse = [1.0 / i for i in key.inertia]
    if hand.imposed:
        inverse[K] = 0.0
    front, crown = key.key["front"], key.hammer["crown"]
    q, v, frictions, strikes, step = list(key.start), [0.0] * 7, {}, [], 0
    while step * STEP < seconds and len(strikes) < strokes:
        now = Instant(key, q, v)
        if not hand.imposed:
            now.forces[K] += front * hand.force(step * STEP, key.depth(q), front * v[K])
        free = [u + STEP * a for u, a in zip(v, now.accelerations(now.forces, inverse))]
        if hand.imposed:
            free[K] = hand.at(step * STEP)[1] / front
        capstan = Capstan(now, inverse)
        v = rub(now, capstan, capstan.hold(free), inverse, frictions)
        below = crown * q[C]
        q = [a + STEP * u for a, u in zip(q, v)]
        if below < 0.0 <= crown * q[C]:
            strikes.append((step * STEP - below / (crown * v[C]), crown * v[C]))
        hand.move()
        step += 1
    return strikes
