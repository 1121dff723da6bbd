"""Numbers of NumPy are numbers everywhere; NaN, infinity and other values are refused in words."""

import numpy as np
import pytest

import touchback

TYPES = [
    np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16,
    np.float32, np.float64, np.longdouble, np.array,
]


@pytest.mark.parametrize("of", TYPES)
def test_a_number_of_numpy_is_a_number(of):
    key = touchback.Key(of(40), let_off_mm=of(2))
    assert key.number == 40
    expected = touchback.Key(40, let_off_mm=2)
    for run in (
        lambda key, of: key.press(force=of(7), hold=0.1, after=of(1), mass=of(1)),
        lambda key, of: key.strike(of(1), hold=0.1, after=of(1)),
        lambda key, of: key.weight(of(1), of(1), height=of(0)),
        lambda key, of: key.play({"form": "weight", "mass_kg": of(1), "duration_s": of(1)}),
        lambda key, of: key.follow([of(0), of(1)], force=[of(0), of(3)]),
    ):
        np.testing.assert_array_equal(run(key, of).key, run(expected, lambda x: x).key)
    assert key.step(force=of(3), steps=of(8)).depth == expected.step(force=3, steps=8).depth
    piano = touchback.Piano(np.float32(48000))
    piano.note_on(of(60), of(1), channel=of(0), offset=of(10))
    piano.control(of(64), of(1), offset=of(20))
    assert piano.process(of(100)).shape == (2, 100)
    assert len(touchback.Bank([of(40), of(41)]).step(force=of(3), steps=of(4)).depth) == 2


def test_repetitions_of_numpy_are_whole():
    press = {"form": "pressed", "force_n": np.float32(7), "duration_s": 0.1}
    repeat = {"form": "repeat", "times": np.int64(2), "part": [press]}
    assert len(touchback.Key().play(repeat)) == 1600


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, np.float32("nan"), 10**400])
def test_a_number_that_is_not_finite_is_refused_in_words(value):
    key = touchback.Key()
    for call in (
        lambda: key.press(force=value),
        lambda: key.strike(value),
        lambda: key.weight(0.05, value),
        lambda: key.play({"form": "pressed", "force_n": value, "duration_s": 0.1}),
        lambda: key.step(depth=value),
        lambda: touchback.Key(numbers={"hammer.mass": value}),
        lambda: touchback.Key(step=value),
        lambda: touchback.Piano(value),
        lambda: touchback.Piano().note_on(60, value),
    ):
        with pytest.raises(ValueError, match="finite number is needed"):
            call()


@pytest.mark.parametrize("value", [True, np.True_, "7", 1j, [7.0], np.array([7.0])])
def test_another_value_is_refused_in_words(value):
    with pytest.raises(TypeError, match="force = .* a real number is needed"):
        touchback.Key().press(force=value)


def test_a_part_of_a_step_is_refused():
    with pytest.raises(ValueError, match="steps = 1.5: a whole number is needed"):
        touchback.Key().step(force=1, steps=1.5)
