"""The keyboard of a grand as an environment of Gymnasium, with the observation names of RoboPianist. Needs gymnasium.

::

    import gymnasium

    env = gymnasium.make("touchback.robot:touchback/Piano-v0")
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

The agent pushes keys with forces, and must strike the notes of a score: a key that is pressed without a strike, as a
slow press or a repetition before the jack is back, does not count as played.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable

import gymnasium
import numpy as np

from touchback._bank import Bank
from touchback._inputs import number
from touchback._key import Key, Value
from touchback._laboratory import parameters
from touchback._native import STEP

if typing.TYPE_CHECKING:
    from numpy.typing import NDArray

    Observation = dict[str, NDArray[np.float32]]

KEYS = 88
DAMPED = 68
"""The last key with a damper."""
SCALE = tuple((key, 0.5 * i, 0.5 * i + 0.4) for i, key in enumerate(("C4", "D4", "E4", "F4", "G4")))
"""The score of an environment without one: key, begin, s, and end, s."""
CLOSE = 0.05
"""Distance of a state from its goal that earns the whole reward; ten times as much earns a tenth of it."""


class PianoEnv(gymnasium.Env):
    """The 88 keys of a grand, and a score.

    Parameters
    ----------
    notes:
        Notes as (key, begin, s, end, s), the keys 1 to 88 or names, with the wanted speed of the hammer, m/s, as a fourth
        value if there is one. A scale by default.
    sustains:
        Spans of the sustain pedal as (begin, s, end, s).
    control_timestep:
        Time between two observations, s, a whole number of action steps of 125 µs.
    n_steps_lookahead:
        Number of coming steps in the goal.
    initial_buffer_time:
        Silence before the score, s.
    wrong_press_termination:
        Ends the episode at a strike that the score does not have.
    strongest:
        Force on a key for an action of 1, N.
    settings:
        Parameters of the action, as of :class:`touchback.Bank`.

    The action has a number from 0 to 1 for each key, its share of the strongest force, which is reached linearly, and
    one for the sustain pedal; a key with 0 is free. Observations:

    ``piano/state``
        Depth of each key, 0 at rest, 1 at the depth of the key bed.
    ``piano/sustain_state``
        The pedal, 0 to 1. It has no effect on the keys.
    ``piano/activation``
        1 for each key that has struck and whose damper has not landed since (in RoboPianist: a key near its bottom).
    ``goal``
        Keys and pedal of this step and of the coming ones, shape ``((n_steps_lookahead + 1) * 89,)``.
    ``piano/key_speed``, ``piano/hammer``, ``piano/hammer_speed``
        Downward speed of each key, m/s, height of its hammer above the string, m, and speed toward it, m/s.

    There are no hands, and so no ``fingering`` and no joints of hands. The reward is the sum of RoboPianist's for keys
    and pedal, which ``info`` has as ``key_press_reward`` and ``sustain_reward``, and of ``speed_reward``: 1 for each strike of
    a note at its wanted speed, less by the logarithm of the ratio. ``info["strikes"]`` has time, s, key and
    hammer speed, m/s, of the strikes of the step, and ``precision``, ``recall`` and ``f1`` the means over the steps so
    far.
    """

    metadata: typing.ClassVar[dict[str, typing.Any]] = {"render_modes": []}

    def __init__(
        self,
        notes: Iterable[tuple[typing.Any, ...]] = SCALE,
        *,
        sustains: Iterable[tuple[float, float]] = (),
        control_timestep: float = 0.05,
        n_steps_lookahead: int = 1,
        initial_buffer_time: float = 0.0,
        wrong_press_termination: bool = False,
        strongest: float = 30.0,
        render_mode: str | None = None,
        **settings: Value,
    ) -> None:
        self.render_mode = render_mode
        steps = number("control_timestep", control_timestep) / STEP
        self._steps = round(steps)
        if self._steps < 1 or abs(steps - self._steps) > 1e-6:
            raise ValueError(f"control_timestep = {control_timestep} s: a whole number of steps of {STEP} s")
        self._strongest = number("strongest", strongest)
        self._wrong_press_termination = wrong_press_termination
        rows = [(Key(key).number - 1, begin, end, *speed) for key, begin, end, *speed in notes]
        spans = [row[:3] for row in rows]
        spans += [(KEYS, begin, end) for begin, end in sustains]
        if not spans:
            raise ValueError("notes: at least one")
        self._goals = _roll(spans, control_timestep, initial_buffer_time, n_steps_lookahead)
        self._speeds = [
            (key, begin + initial_buffer_time, end + initial_buffer_time, speed[0])
            for key, begin, end, *speed in rows
            if speed
        ]
        self._lookahead = n_steps_lookahead
        self._bank = Bank(**settings)
        dip = next(parameter for parameter in parameters() if parameter["id"] == "key_dip_mm")
        self._dip = 1e-3 * float(settings.get("key_dip_mm", dip["default"]))
        each = lambda low, high, count=KEYS: gymnasium.spaces.Box(low, high, (count,), np.float32)
        self.action_space = each(0.0, 1.0, KEYS + 1)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "piano/state": each(0.0, 1.0),
                "piano/sustain_state": each(0.0, 1.0, 1),
                "piano/activation": each(0.0, 1.0),
                "goal": each(0.0, 1.0, (n_steps_lookahead + 1) * (KEYS + 1)),
                "piano/key_speed": each(-100.0, 100.0),
                "piano/hammer": each(-1.0, 1.0),
                "piano/hammer_speed": each(-100.0, 100.0),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, typing.Any] | None = None
    ) -> tuple[Observation, dict[str, typing.Any]]:
        """All keys at rest and the pedal up, at the beginning of the score."""
        super().reset(seed=seed, options=options)
        self._bank.reset()
        self._begin = self._bank.time
        self._at = 0
        self._pedal = 0.0
        self._sounding = np.zeros(KEYS, dtype=bool)
        self._scores: list[tuple[float, float, float]] = []
        # The bank has no reading before its first step, which changes nothing at rest.
        return self._observation(self._bank.step()), {}

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, typing.Any]]:
        """Pushes the keys for one control step."""
        shares = np.clip(np.asarray(action, dtype=np.float64), 0.0, 1.0)
        forces, self._pedal = self._strongest * shares[:KEYS], float(shares[KEYS])
        state = self._bank.step(force=np.where(forces > 0.0, forces, np.nan), steps=self._steps)
        strikes = []
        for index, event in state.events:
            if event.kind == "strike":
                self._sounding[index] = True
                strikes.append((round(event.time - self._begin, 9), index + 1, event.value))
            elif event.kind == "damper_fall" or (event.kind == "key_rest" and index >= DAMPED):
                self._sounding[index] = False
        goal = self._goals[self._at] > 0.5
        self._at += 1
        observation = self._observation(state)
        rewards = self._rewards(goal, observation["piano/state"])
        rewards["speed_reward"] = sum(self._speed_reward(*strike) for strike in strikes)
        self._scores.append(_scores(goal[:KEYS], self._sounding))
        precision, recall, f1 = np.mean(self._scores, axis=0)
        info = {**rewards, "strikes": strikes, "precision": precision, "recall": recall, "f1": f1}
        is_wrong = bool((self._sounding & ~goal[:KEYS]).any())
        is_over = self._at >= len(self._goals) - self._lookahead
        terminated = is_over or (self._wrong_press_termination and is_wrong)
        return observation, float(sum(rewards.values())), terminated, False, info

    def _speed_reward(self, time: float, key: int, speed: float) -> float:
        for index, begin, end, wanted in self._speeds:
            if index == key - 1 and begin <= time < end:
                return max(0.0, 1.0 - abs(float(np.log(speed / wanted))))
        return 0.0

    def _rewards(self, goal: NDArray[np.bool_], state: NDArray[np.float32]) -> dict[str, float]:
        on, off = goal[:KEYS], ~goal[:KEYS]
        # A pressed key earns the part for its depth with its strike only.
        played = np.where(self._sounding, 1.0, np.minimum(state, 0.5))
        pressed = 0.5 * float(_closeness(1.0 - played[on]).mean()) if on.any() else 0.0
        clean = 0.5 * (1.0 - float(self._sounding[off].any()))
        pedal = _closeness(np.abs(float(goal[KEYS]) - float(self._pedal >= 0.5)))
        return {"key_press_reward": pressed + clean, "sustain_reward": float(pedal)}

    def _observation(self, state: typing.Any) -> Observation:
        last = len(self._goals) - self._lookahead - 1
        at = min(self._at, last)
        found = {
            "piano/state": np.clip(state.depth / self._dip, 0.0, 1.0),
            "piano/sustain_state": np.array([self._pedal]),
            "piano/activation": self._sounding,
            "goal": self._goals[at : at + self._lookahead + 1].ravel(),
            "piano/key_speed": np.clip(state.speed, -100.0, 100.0),
            "piano/hammer": np.clip(state.hammer, -1.0, 1.0),
            "piano/hammer_speed": np.clip(state.hammer_speed, -100.0, 100.0),
        }
        return {name: np.array(value, dtype=np.float32) for name, value in found.items()}


def _roll(
    spans: list[tuple[int, float, float]], step: float, before: float, lookahead: int
) -> NDArray[np.float32]:
    """Keys and pedal in each step, and as many steps of nothing as the goal looks ahead."""
    rows = [(column, round((begin + before) / step), round((end + before) / step)) for column, begin, end in spans]
    roll = np.zeros((max(end for _, _, end in rows) + 1 + lookahead, KEYS + 1), dtype=np.float32)
    for column, begin, end in rows:
        roll[begin : max(end, begin + 1), column] = 1.0
    return roll


def _closeness(distance: typing.Any) -> typing.Any:
    """1 up to the distance :data:`CLOSE`, then a bell curve that is 0.1 at ten times as much beyond it."""
    beyond = np.maximum(np.asarray(distance, dtype=np.float64) - CLOSE, 0.0) / (10.0 * CLOSE)
    return np.exp(np.log(0.1) * beyond**2)


def _scores(goal: NDArray[np.bool_], found: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Precision, recall and F1 of one step; 1 where there is nothing to find."""
    right, wanted, all_found = int((goal & found).sum()), int(goal.sum()), int(found.sum())
    precision = right / all_found if all_found else 1.0
    recall = right / wanted if wanted else 1.0
    f1 = 2.0 * right / (wanted + all_found) if wanted + all_found else 1.0
    return precision, recall, f1



gymnasium.register(id="touchback/Piano-v0", entry_point="touchback.robot:PianoEnv")
