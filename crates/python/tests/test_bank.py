"""Banks: the motion of single keys, any threads, shapes, errors."""

import numpy as np
import pytest

import touchback


def motion(steps, keys):
    """A press of every key, each at another speed, as depths at the ends of the steps, m."""
    t = np.arange(1, steps + 1)[:, np.newaxis] * touchback.STEP
    speed = np.linspace(0.05, 0.6, keys)
    return np.minimum(speed * t, 9.8e-3)


def test_a_bank_has_the_motion_of_single_keys():
    numbers = [1, 40, 40, 88, 3]
    depth = motion(1200, len(numbers))
    state = touchback.Bank(numbers).step(depth=depth, record="all")
    assert state.hammer.shape == (1200, 5)
    for i, number in enumerate(numbers):
        key = touchback.Key(number)
        run = [key.step(depth=value) for value in depth[:, i]]
        found = [event for index, event in state.events if index == i]
        assert [e.kind for e in found] == [e.kind for one in run for e in one.events], number
        # A key of a bank is no longer stepped once its parts have moved at less than 1e-4 rad/s for 200 steps.
        moving = 200 + np.flatnonzero(np.abs([one.hammer_speed for one in run]) > 1e-6)[-1]
        for name in ("depth", "hammer", "hammer_speed"):
            found, single = getattr(state, name)[:, i], [getattr(one, name) for one in run]
            np.testing.assert_allclose(found[:moving], single[:moving], rtol=0, atol=1e-12)
            np.testing.assert_allclose(found, single, rtol=0, atol=1e-8)


def test_threads_and_blocks_change_no_bit():
    numbers = [*range(1, 89), *range(20, 60), 40, 40]
    force = np.full((900, len(numbers)), 7.0)
    whole = touchback.Bank(numbers, threads=1).step(force=force)
    bank = touchback.Bank(numbers, threads=3)
    parts = [bank.step(force=force[i : i + 90]) for i in range(0, 900, 90)]
    for name in ("depth", "speed", "hammer", "hammer_speed"):
        np.testing.assert_array_equal(getattr(parts[-1], name), getattr(whole, name))
    assert [event for part in parts for event in part.events] == whole.events
    assert sum(event.kind == "strike" for _, event in whole.events) >= 125


def test_a_value_is_reached_linearly_and_nan_leaves_a_key_free():
    bank = touchback.Bank([40, 40])
    ramp = bank.step(depth=[5e-3, np.nan], steps=200, record="all")
    np.testing.assert_allclose(ramp.depth[:, 0], np.arange(1, 201) * 25e-6, atol=1e-9)
    assert np.abs(ramp.depth[:, 1]).max() < 1e-6
    free = bank.step(steps=4000)
    assert np.abs(free.depth).max() < 3e-4
    assert bank.time == pytest.approx(0.525)


def test_keys_are_put_to_rest():
    bank = touchback.Bank([40, 41])
    bank.step(depth=8e-3, steps=400)
    bank.reset([1])
    state = bank.step()
    assert state.depth[0] > 7e-3 and abs(state.depth[1]) < 1e-6
    bank.reset()
    assert np.abs(bank.step().depth).max() < 1e-6


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: touchback.Bank([]), "without keys"),
        (lambda: touchback.Bank([0]), "keys count"),
        (lambda: touchback.Bank(threads=0), "at least 1"),
        (lambda: touchback.Bank().step(depth=[0.0] * 3), "shape"),
        (lambda: touchback.Bank().step(depth=np.zeros((2, 3))), "3 columns"),
        (lambda: touchback.Bank().step(depth=np.zeros((2, 88)), steps=3), "2 rows"),
        (lambda: touchback.Bank().step(force=np.inf), "beyond"),
        (lambda: touchback.Bank().step(record="some"), "record"),
        (lambda: touchback.Bank().step(steps=0), "at least one"),
        (lambda: touchback.Bank().reset([88]), "index 88"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
