"""Touchback: the grand piano action as a multibody model, and the piano that it plays.

One key, pressed, and what happens inside its action::

    import touchback

    run = touchback.Key(40).press(force=7.0, hold=0.16)
    print(run.events)

All lengths are in metres, times in seconds, forces in newtons, masses in kilograms, unless a name says another
unit. Key down and hammer toward the string are positive. Keys count from 1 (A0) to 88 (C8); 40 is middle C, and
wherever a key is wanted, its name does as well: ``Key("C4")``. The parameters of the piano, such as
``let_off_mm=1.5``, are those of :func:`parameters`; they are numbers in the unit of the parameter, or the name of
a choice.

Errors are :class:`ValueError` for a value that makes no sense, with the values that do, and :class:`OSError` for
a file.
"""

from touchback import walls
from touchback._bank import Bank, BankState
from touchback._key import Key, KeyState
from touchback._laboratory import (
    Experiment,
    Fit,
    Press,
    Row,
    Weights,
    experiment,
    experiments,
    fit,
    parameters,
    quantities,
    sweep,
    weigh,
)
from touchback._native import STEP, __version__
from touchback._piano import Piano, Rendering, Strike, render
from touchback._run import Event, Run, UnbalancedWarning
from touchback._tables import table

__all__ = [
    "STEP",
    "Bank",
    "BankState",
    "Event",
    "Experiment",
    "Fit",
    "Key",
    "KeyState",
    "Piano",
    "Press",
    "Rendering",
    "Row",
    "Run",
    "Strike",
    "UnbalancedWarning",
    "Weights",
    "__version__",
    "experiment",
    "experiments",
    "fit",
    "parameters",
    "quantities",
    "render",
    "sweep",
    "table",
    "walls",
    "weigh",
]
