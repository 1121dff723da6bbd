"""Work on several threads, or by an executor on several processes and machines."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping

from touchback._inputs import whole

Result = typing.TypeVar("Result")


class Future(typing.Protocol):
    """A result that is waited for."""

    def result(self) -> typing.Any:
        """The result, or the exception of the work."""


class Executor(typing.Protocol):
    """What executors of ``concurrent.futures``, of Dask (a client), of Ray and of MPI have."""

    def submit(self, work: typing.Any, /, *args: typing.Any, **kwargs: typing.Any) -> Future:
        """Begins ``work(*args, **kwargs)`` elsewhere."""


def threads_of(threads: typing.Any) -> int | None:
    """A number of threads, at least 1."""
    if threads is None:
        return None
    count = whole("threads", threads)
    if count < 1:
        raise ValueError(f"threads = {count}: at least 1")
    return count


def spread(
    executor: Executor, work: Callable[..., Result], items: Iterable[typing.Any], **kwargs: typing.Any
) -> list[Result]:
    """``work(item, **kwargs)`` for each item by the executor, in order."""
    futures = [executor.submit(work, item, **kwargs) for item in items]
    return [future.result() for future in futures]


def rebuilt(cls: type, args: tuple[typing.Any, ...], kwargs: Mapping[str, typing.Any]) -> typing.Any:
    """An object with the arguments of a pickled one, as new."""
    return cls(*args, **kwargs)
