"""The compiled part; the other modules of the package say what its values mean."""

from collections.abc import Callable
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

__version__: str
STEP: float
"""Length of an action step, s."""

_Event = tuple[float, str, float, str]
_Table = tuple[list[str], NDArray[np.float64]]
_Run = tuple[
    list[str],
    NDArray[np.float64],
    NDArray[np.uint8],
    list[str],
    list[_Event],
    Optional[str],
    Optional[_Table],
]
_Strike = tuple[float, int, float, float]
_Sound = tuple[NDArray[np.float32], list[_Strike]]
_Settings = dict[str, Any]

class Key:
    number: int
    def __init__(
        self,
        number: int | str,
        action: str,
        preset: str | None,
        sheet: str | None,
        model_text: str | None,
        mechanism: tuple[str, str] | None,
        settings_of: _Settings,
        numbers: dict[str, float],
        parts: int,
        forces: bool,
    ) -> None: ...
    def model_text(self) -> str: ...
    def numbers(self) -> list[tuple[str, float]]: ...
    def play_parts(self, json: str) -> _Run: ...
    def play_file(self, path: str) -> _Run: ...
    def play_curve(
        self,
        channel: str,
        times: NDArray[np.float64],
        values: NDArray[np.float64],
        speeds: NDArray[np.float64] | None = None,
    ) -> _Run: ...
    def step(
        self, channel: str | None, from_: float, to: float, steps: int, /
    ) -> tuple[list[float], str, list[_Event]]: ...
    def reset(self) -> None: ...
    def save(self) -> tuple[int, list[int]]: ...
    def restore(self, step: int, bits: list[int]) -> None: ...

class Bank:
    count: int
    steps: int
    def __init__(
        self,
        keys: list[int | str],
        preset: str | None,
        sheet: str | None,
        settings_of: _Settings,
        threads: int | None,
    ) -> None: ...
    def start(self, channel: str) -> NDArray[np.float64]: ...
    def step(
        self, channel: str | None, values: NDArray[np.float64], every: bool
    ) -> tuple[NDArray[np.float64], list[tuple[int, _Event]]]: ...
    def reset(self, indices: list[int]) -> None: ...

class Piano:
    is_idle: bool
    latency: int
    def __init__(
        self,
        rate: int,
        preset: str | None,
        sheet: str | None,
        mechanism: tuple[str, str] | None,
        settings_of: _Settings,
    ) -> None: ...
    def note_on(self, note: int, velocity: float, channel: int, offset: int) -> None: ...
    def note_off(self, note: int, velocity: float, channel: int, offset: int) -> None: ...
    def control(self, number: int, value: float, channel: int, offset: int) -> None: ...
    def process(self, frames: int) -> _Sound: ...
    def set(self, values: _Settings) -> None: ...
    def reset(self) -> None: ...

def render(
    name: str,
    bytes: bytes,
    rate: int,
    preset: str | None,
    sheet: str | None,
    mechanism: tuple[str, str] | None,
    settings_of: _Settings,
    parts: tuple[str | None, str | None],
    scale: tuple[str, str | None] | None,
    threads: int | None,
) -> tuple[_Sound, list[str]]: ...
def weigh(
    keys: list[int],
    preset: str | None,
    sheet: str | None,
    settings_of: _Settings,
    model_text: str | None,
    threads: int | None,
) -> tuple[list[str], NDArray[np.float64]]: ...
def sweep(
    id: str,
    values: NDArray[np.float64],
    measure: str,
    key: int | str,
    preset: str | None,
    sheet: str | None,
    settings_of: _Settings,
    model_text: str | None,
    threads: int | None,
) -> NDArray[np.float64]: ...
def quantities() -> list[tuple[str, str]]: ...
def fit(
    presses: list[Any],
    free: list[str],
    key: int | str,
    action: str,
    model_text: str | None,
    threads: int | None,
    elsewhere: Callable[[list[float]], list[list[float]]] | None,
) -> tuple[list[tuple[str, float, float, float]], str, tuple[float, float], bool]: ...
def fit_depths(
    measured: Any,
    free: list[str],
    shares: list[float],
    key: int | str,
    action: str,
    model_text: str | None,
) -> list[float]: ...
def experiments() -> list[tuple[str, str]]: ...
def experiment(
    name: str,
    preset: str | None,
    sheet: str | None,
    settings_of: _Settings,
    model_text: str | None,
    key: int | str | None,
    count: int | None,
    out: str | None,
) -> tuple[list[dict[str, Any]], list[str], list[str]]: ...
def parameters() -> list[dict[str, Any]]: ...
def wall_numbers(name: str) -> list[tuple[str, str, float, float, float, str]]: ...
def wall_table(name: str, values: dict[str, float]) -> tuple[list[str], NDArray[np.float64]]: ...
def wall_run(controller: str, values: dict[str, float]) -> tuple[NDArray[np.float64], float]: ...
