"""An environment for reinforcement learning, with the form of Gymnasium's: five fingers on five keys of a grand.

The agent sees depths and speeds of keys and hammers every 2 ms, and pushes the keys with forces. It is to strike a
rhythm at given hammer speeds. Robots that learn on springs never meet let-off, the backcheck, or a jack that is not
back under its knuckle; here they do.

Run it to play the rhythm with a simple controller::

    python environment.py
"""

from __future__ import annotations

import numpy as np

import touchback

PERIOD = 16
"""Action steps of 125 µs between two observations: 500 Hz."""
TOLERANCE = 0.05
"""Greatest error of a strike's time that earns a reward, s."""
STRONGEST = 30.0
"""Greatest force of a finger, N."""


class FiveFingers:
    """Five keys and a rhythm: pairs of time, s, finger, 0 to 4, and hammer speed, m/s.

    Parameters
    ----------
    rhythm:
        The strikes that are wanted.
    keys:
        The five keys, 1 to 88 or names.
    copies:
        Number of equal hands that are stepped together; observations, actions and rewards have this many rows.
    """

    def __init__(self, rhythm, keys=("C4", "D4", "E4", "F4", "G4"), copies=1, **settings):
        self.rhythm = sorted(rhythm)
        self.copies, self.fingers = copies, len(keys)
        self.bank = touchback.Bank(list(keys) * copies, **settings)
        self.length = self.rhythm[-1][0] + 0.5
        self._begin = 0.0

    @property
    def time(self):
        """Time since the last reset, s."""
        return self.bank.time - self._begin

    def reset(self):
        """Puts all keys to rest; returns the observation."""
        self.bank.reset()
        self._begin = self.bank.time
        self._wanted = [list(self.rhythm) for _ in range(self.copies)]
        return self._observation(self.bank.step())

    def step(self, action):
        """Pushes the keys with the forces `action`, N, shape (copies, 5), for 2 ms.

        Returns observation, shape (copies, 4, 5): depth of the key, mm, its speed, m/s, height of the hammer, mm,
        its speed, m/s; reward, shape (copies,): 1 for a strike at its time and speed, less for an error, −1 for
        a strike that nobody wanted; whether the rhythm is over.
        """
        forces = np.clip(np.asarray(action, dtype=float), 0.0, STRONGEST)
        forces = np.broadcast_to(forces, (self.copies, self.fingers)).ravel()
        # A finger that pushes with nothing is not on the key.
        state = self.bank.step(force=np.where(forces > 0, forces, np.nan), steps=PERIOD)
        reward = np.zeros(self.copies)
        for index, event in state.events:
            if event.kind == "strike":
                copy, finger = divmod(index, self.fingers)
                reward[copy] += self._score(copy, finger, event)
        return self._observation(state), reward, self.time >= self.length

    def _score(self, copy, finger, strike):
        wanted = self._wanted[copy]
        time = strike.time - self._begin
        near = [w for w in wanted if w[1] == finger and abs(w[0] - time) < TOLERANCE]
        if not near:
            return -1.0
        best = min(near, key=lambda w: abs(w[0] - time))
        wanted.remove(best)
        late, ratio = abs(best[0] - time) / TOLERANCE, strike.value / best[2]
        return max(0.0, 1.0 - late) * max(0.0, 1.0 - abs(np.log(ratio)))

    def _observation(self, state):
        rows = [1e3 * state.depth, state.speed, 1e3 * state.hammer, state.hammer_speed]
        return np.array([row.reshape(self.copies, self.fingers) for row in rows]).swapaxes(0, 1)


RISE = 0.03
"""Time constant of a muscle, s; chosen."""


def muscle(force, time):
    """Force, N, of a muscle that sets in at time 0 and rises to `force` N."""
    share = np.maximum(time, 0.0) / RISE
    return force * (1.0 - (1.0 + share) * np.exp(-share))


def main():
    """Plays a rhythm with forces from a table that presses of 1.5 to 12 N have given."""
    t = np.arange(0, 0.4, 1e-3)
    forces = np.linspace(1.5, 12.0, 15)
    runs = [touchback.Key("E4").follow(t, force=muscle(force, t)) for force in forces]
    strikes = [run.event("strike") for run in runs]
    travel = np.array([strike.time for strike in strikes])
    speeds = np.array([strike.value for strike in strikes])
    rhythm = [(0.4 + 0.2 * i, i % 5, 0.8 + 0.1 * i) for i in range(10)]
    hand = FiveFingers(rhythm)
    hand.reset()
    total, over = 0.0, False
    while not over:
        push = np.zeros(5)
        for time, finger, speed in rhythm:
            force = np.interp(speed, speeds, forces)
            begin = time - np.interp(force, forces, travel)
            if begin <= hand.time < time + 0.05:
                # The force at the end of the 2 ms.
                push[finger] = muscle(force, hand.time - begin + PERIOD * touchback.STEP)
        _, reward, over = hand.step(push)
        total += reward[0]
    print(f"{total:.2f} of {len(rhythm)} strikes")
    return total


if __name__ == "__main__":
    main()
