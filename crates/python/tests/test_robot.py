"""The environment of Gymnasium."""

import warnings

import numpy as np
import pytest


gymnasium = pytest.importorskip("gymnasium")
robot = pytest.importorskip("touchback.robot")


def test_the_environment_follows_gymnasium_s_interface():
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("touchback.robot:touchback/Piano-v0", n_steps_lookahead=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert env.observation_space["goal"].shape == (3 * 89,)
    names = {"piano/state", "piano/sustain_state", "piano/activation", "goal"}
    assert names < set(env.observation_space.keys())


def played(env, force, keys=None):
    """Pushes the keys of each goal, or `keys`; returns the last info and the sum of rewards."""
    observation, _ = env.reset()
    total, terminated, info = 0.0, False, {}
    while not terminated:
        action = observation["goal"][:89].copy()
        if keys is not None:
            action[:88] = keys
        action[:88] *= force
        observation, reward, terminated, _, info = env.step(action)
        total += reward
    return info, total


def test_a_score_is_played_by_strikes_and_not_by_slow_presses():
    env = robot.PianoEnv(notes=[("C4", 0.0, 0.4), ("E4", 0.5, 0.9)], sustains=[(0.5, 0.9)], strongest=20.0)
    info, loud = played(env, 0.4)
    assert info["f1"] > 0.8 and info["precision"] > 0.8 and info["recall"] > 0.8, info
    info, soft = played(env, 0.03)
    assert info["recall"] < 0.3 and soft < loud - 5.0, (info, soft, loud)
    wanted = robot.PianoEnv(notes=[("C4", 0.0, 0.4, 2.0)], strongest=20.0)
    observation, _ = wanted.reset()
    infos = [wanted.step(observation["goal"][:89] * np.float32(0.4))[4] for _ in range(3)]
    [(_, _, found)] = [strike for info in infos for strike in info["strikes"]]
    assert abs(sum(info["speed_reward"] for info in infos) - max(0.0, 1.0 - abs(np.log(found / 2.0)))) < 1e-9
    wrong = np.zeros(88, dtype=np.float32)
    wrong[10] = 1.0
    info, false = played(env, 0.4, wrong)
    assert info["f1"] < 0.3 and false < loud - 5.0
    strict = robot.PianoEnv(notes=[("C4", 0.0, 0.9)], wrong_press_termination=True)
    action = np.concatenate([wrong, [0.0]]).astype(np.float32)
    strict.reset()
    steps = 1
    while not strict.step(action)[2]:
        steps += 1
    assert steps < 8


def test_copies_and_resets_play_alike():
    env = robot.PianoEnv(let_off_mm=2.0)
    runs = []
    for _ in range(2):
        env.reset(seed=3)
        env.action_space.seed(3)
        runs.append([env.step(env.action_space.sample())[0] for _ in range(4)])
    for first, second in zip(*runs):
        for name, value in first.items():
            assert np.array_equal(value, second[name]), name


@pytest.mark.parametrize("bad", [{"control_timestep": 1e-4}, {"notes": []}, {"notes": [("H9", 0, 1)]}])
def test_bad_arguments_are_refused_in_words(bad):
    with pytest.raises(ValueError):
        robot.PianoEnv(**bad)
