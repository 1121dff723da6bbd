"""Weighing, sweeps, fits, experiments, and the list of parameters."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from touchback import _native
from touchback._inputs import text_of, whole
from touchback._key import Key, Value
from touchback._spread import Executor, spread, threads_of

if typing.TYPE_CHECKING:
    import pandas
    from numpy.typing import ArrayLike, NDArray


class Weights(Mapping[str, "NDArray[np.float64]"]):
    """A technician's measurements of keys: arrays of shape (keys,) by name; a name ends with the unit. NaN where
    a key has no such value."""

    def __init__(self, keys: list[int], names: list[str], table: NDArray[np.float64]) -> None:
        self.keys_measured = keys
        self._columns: dict[str, NDArray[np.float64]] = dict(zip(names, table.T))

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> pandas.DataFrame:
        """One row a key, with the number of the key as the index. Needs pandas."""
        import pandas

        index = pandas.Index(self.keys_measured, name="key")
        return pandas.DataFrame(self._columns, index=index)


def weigh(
    keys: Iterable[int | str] = range(1, 89),
    *,
    model: str | os.PathLike[str] | None = None,
    preset: str | None = None,
    sheet: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    **settings: Value,
) -> Weights:
    """Measures keys as a technician does: down weight, up weight, let-off, drop, blow and more.

    Parameters
    ----------
    keys, model, preset, sheet, settings:
        As of :class:`touchback.Key`; the values are those of ``touchback weigh``.
    threads:
        Number of threads; by default one a core.
    executor:
        Measures each key by ``executor.submit``: a process pool, a client of Dask and the like.
    """
    numbers = [Key(key).number if isinstance(key, str) else whole("key", key) for key in keys]
    model, sheet = text_of(model), text_of(sheet)
    if executor is not None:
        settings = dict(settings, model=model, preset=preset, sheet=sheet, threads=threads_of(threads) or 1)
        found = spread(executor, weigh, ([number] for number in numbers), **settings)
        table = [[value[0] for value in weights.values()] for weights in found]
        names = list(found[0]) if found else []
        return Weights(numbers, names, np.array(table).reshape(len(numbers), len(names)))
    names, rows = _native.weigh(numbers, preset, sheet, settings, model, threads_of(threads))
    return Weights(numbers, names, rows)


def quantities() -> dict[str, str]:
    """The quantities that :func:`sweep` can measure, with a description each. Names end with the unit."""
    return dict(_native.quantities())


def sweep(
    parameter: str,
    values: ArrayLike,
    measure: str,
    *,
    key: int | str = 40,
    model: str | os.PathLike[str] | None = None,
    preset: str | None = None,
    sheet: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    **settings: Value,
) -> NDArray[np.float64]:
    """Measures one quantity of a key at each value of a parameter.

    Parameters
    ----------
    parameter:
        A parameter of the piano, or a number of the model such as ``hammer.mass``.
    values:
        Its values, in its unit, shape (n,).
    measure:
        One of :func:`quantities`.
    key, model, preset, sheet, settings:
        As of :class:`touchback.Key`.
    threads, executor:
        As of :func:`weigh`.

    Returns the quantity, shape (n,), NaN where the key does not have it.
    """
    points = np.ascontiguousarray(values, dtype=np.float64)
    if points.ndim != 1:
        raise ValueError("the values have one dimension")
    model, sheet = text_of(model), text_of(sheet)
    if executor is not None:
        own = dict(settings, key=key, model=model, preset=preset, sheet=sheet, threads=threads_of(threads) or 1)
        found = spread(executor, _point, points.tolist(), parameter=parameter, measure=measure, **own)
        return np.array(found, dtype=np.float64)
    return _native.sweep(
        parameter, points, measure, key, preset, sheet, settings, model, threads_of(threads)
    )


def _point(value: float, **kwargs: typing.Any) -> float:
    """The quantity of a sweep at one value."""
    return float(sweep(values=[value], **kwargs)[0])


class Press(typing.NamedTuple):
    """A measured press."""

    t: ArrayLike
    """Times, s, from 0 and rising, shape (n,)."""
    key: ArrayLike
    """Depth of the key front below rest, m, shape (n,)."""
    force: ArrayLike
    """Force on the key front, N, shape (n,)."""


class Fit(typing.NamedTuple):
    """Numbers of a model, fitted to presses."""

    numbers: dict[str, float]
    """The fitted numbers, SI units."""
    half_intervals: dict[str, float]
    """Half the 95 % confidence interval of each."""
    model: str
    """The text of the fitted model, for ``Key(model=...)``."""
    rms_before: float
    """Root mean square of the depth's deviation before the fit, m."""
    rms_after: float
    """The same after the fit, m."""
    converged: bool
    """Whether the fit met its criterion."""


def fit(
    presses: Iterable[Press],
    free: Iterable[str],
    *,
    key: int | str = 40,
    action: str = "grand",
    model: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
) -> Fit:
    """Fits numbers of a model to measured presses of one key, as ``touchback fit``.

    Parameters
    ----------
    presses:
        The measurements; the force drives the model, whose depth is compared.
    free:
        Names of the numbers to fit, such as ``hammer.inertia``.
    key, action, model:
        The start, as of :class:`touchback.Key`.
    threads:
        Number of threads; by default one a core.
    executor:
        Simulates each press of each step by ``executor.submit``: a process pool, a client of Dask and the like.
    """
    measured = [tuple(np.ascontiguousarray(x, dtype=np.float64) for x in press) for press in presses]
    names, model = list(free), text_of(model)
    elsewhere = None
    if executor is not None:
        own = {"free": names, "key": key, "action": action, "model_text": model}
        elsewhere = lambda shares: spread(executor, _depths, measured, shares=shares, **own)
    found, text, (before, after), converged = _native.fit(
        measured, names, key, action, model, threads_of(threads), elsewhere
    )
    numbers = {name: value for name, _, value, _ in found}
    halves = {name: half for name, _, _, half in found}
    return Fit(numbers, halves, text, before, after, converged)


def _depths(press: tuple[NDArray[np.float64], ...], **kwargs: typing.Any) -> list[float]:
    """The depths of one press in a fit."""
    return _native.fit_depths(press, **kwargs)


class Row(typing.NamedTuple):
    """A row of an experiment: a target and the measured value."""

    quantity: str
    """The quantity, with its unit."""
    target: str
    """The published or required value, as text."""
    band: str
    """The accepted values, as text."""
    measured: str
    """The measured value, as text."""
    verdict: str
    """``ok`` or ``missed``."""
    low: float | None
    """Lowest accepted value, if there is one."""
    high: float | None
    """Highest accepted value, if there is one."""
    value: float | None
    """The measured value, if it is a number."""
    source: str
    """Document and equation, table or figure; empty for none."""
    cause: str
    """Cause of a missed target of the standard piano; empty if it is met."""
    id: str
    """Name of the target, beginning with that of the experiment."""
    kind: str = "result"
    """``result``; ``fitted`` or ``given`` where inputs decide the value."""


class Experiment:
    """An experiment or validation of the laboratory; :meth:`run` runs it."""

    def __init__(self, name: str) -> None:
        known = experiments()
        if name not in known:
            raise ValueError(f"no experiment is called `{name}`; see experiments()")
        self.name = name
        """The name."""
        self.about = known[name]
        """What it does, in one sentence."""
        self.rows: list[Row] = []
        """The rows of the last run."""
        self.notes: list[str] = []
        """Remarks of the last run."""
        self.figures: list[str] = []
        """Names of the last run's figures in its folder."""

    def __repr__(self) -> str:
        return f"<Experiment {self.name}: {self.about}>"

    def run(
        self,
        *,
        out: str | os.PathLike[str] | None = None,
        count: int | None = None,
        key: int | str | None = None,
        model: str | os.PathLike[str] | None = None,
        preset: str | None = None,
        sheet: str | os.PathLike[str] | None = None,
        **settings: Value,
    ) -> list[Row]:
        """Runs the experiment and returns its rows.

        Parameters
        ----------
        out:
            Folder for data and figures; without it they are not kept.
        count:
            Number of systems, for experiments that have one.
        key, model, preset, sheet, settings:
            As of :class:`touchback.Key`, for experiments that accept them; ``experiment("walls")`` takes those of
            :func:`touchback.walls.numbers` as settings.
        """
        folder = None if out is None else os.fspath(out)
        count = None if count is None else whole("count", count)
        rows, self.notes, self.figures = _native.experiment(
            self.name, preset, text_of(sheet), settings, text_of(model), key, count, folder
        )
        self.rows = [Row(**row) for row in rows]
        return self.rows

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of the last run as a data frame. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows, columns=list(Row._fields))


def experiments() -> dict[str, str]:
    """The experiments by name, with a description each."""
    return dict(_native.experiments())


def experiment(name: str) -> Experiment:
    """The experiment `name`: ``touchback.experiment("validate").run()``."""
    return Experiment(name)


def parameters() -> list[dict[str, typing.Any]]:
    """The parameters of the piano: id, name, group, unit, least and greatest value, default, choices, effect."""
    return _native.parameters()
