"""Sweeps: one analysis of many variants of a model, in threads of the engine, in an executor, or on a cluster.

The members, their rows and their bits are those of `taut sweep`; only the place where they are computed differs.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from importlib import import_module
from threading import Lock
from typing import Any

from . import _taut
from ._analyses import run_settings
from ._fields import texts
from ._linear import _point
from ._model import Field, ModelLike, as_model
from ._solution import Solution
from ._sweep_request import Measures, case_table, measures, one_variation, positive, sampling, variations
from ._sweep_table import Row, Sweep

_MAX_BATCH = 250
_BATCHES_PER_WORKER = 16
_CACHED_PLANS = 4


@dataclass(frozen=True)
class _Task:
    """Everything a worker needs; it is sent once to every worker and read once there."""

    model: tuple[str, str, list[tuple[str, str]], list[Any]]
    vary: list[str]
    cases: tuple[str, str] | None
    sample: tuple[str, int, int] | None
    analysis: tuple[str, int, int | None, Any, str | None]
    keep: list[str]
    functions: dict[str, Callable[[Solution], Any]]
    key: str = field(default="", compare=False)
    version: str = _taut.__version__

    def plan(self) -> _taut.SweepPlan:
        """The sweep, ready to run."""
        measure = (_Functions(self.functions), len(self.functions)) if self.functions else None
        return _taut.SweepPlan(
            self.model, self.vary, self.cases, self.sample, self.analysis, self.keep, measure
        )


@dataclass(frozen=True)
class _Functions:
    """Measures that are functions, applied to the motion of a member."""

    functions: dict[str, Callable[[Solution], Any]]

    def __call__(self, raw: _taut.RawSolution, compiled: _taut.Compiled) -> tuple[list[float], str | None]:
        found, failed = [], None
        solution = Solution._of(raw, None, compiled)
        for name, function in self.functions.items():
            try:
                found.append(float(function(solution)))
            except Exception as e:
                found.append(float("nan"))
                failed = failed or f"measure `{name}`: {type(e).__name__}: {e}"
        return found, failed


_plans: OrderedDict[str, _taut.SweepPlan] = OrderedDict()
_plans_lock = Lock()


def _run_batch(task: _Task, first: int, end: int) -> list[Row]:
    """Rows of some members, in a worker. The plan is kept for the next batch."""
    if task.version != _taut.__version__:
        raise _taut.TautError(
            f"the sweep comes from version {task.version} of taut, and this worker has version {_taut.__version__}; install the same one"
        )
    with _plans_lock:
        plan = _plans.get(task.key)
        if plan is None:
            plan = _plans[task.key] = task.plan()
        _plans.move_to_end(task.key)
        while len(_plans) > _CACHED_PLANS:
            _plans.popitem(last=False)
    rows, interrupted = plan.run(first, end, 1)
    if interrupted:
        raise KeyboardInterrupt
    return rows


def _identity(task: _Task) -> _Task:
    return task


def sweep(
    model: ModelLike,
    vary: Mapping[str, Field] | None = None,
    *,
    measure: Measures | None = None,
    cases: str | os.PathLike[str] | Mapping[str, Sequence[Field]] | None = None,
    sample: str | None = None,
    count: int | None = None,
    seed: int = 1,
    analysis: str = "run",
    executor: Any = None,
    jobs: int | None = None,
    batch: int | None = None,
    number: int = 6,
    over: Mapping[str, Field] | None = None,
    load_steps: int | None = None,
    at: float | None = None,
    static: bool = False,
    rotating_about: str | Sequence[float] | None = None,
    rate: float | None = None,
    frozen: bool = False,
    t: Field = None,
    **settings: Any,
) -> Sweep:
    """Computes a model for every combination of the values of its parameters and returns one table.

    `vary` maps names, as `set` of `simulate` takes them, to values: a list or an array, or a text as `--vary` of the command takes it:
    a grid `"80 mm:120 mm:41"`, a list `"1 kg, 2 kg"`; with `sample` (latin_hypercube, sobol, monte_carlo) and `count` also a range
    `"80 mm:120 mm"` or a distribution `"normal(100 mm, 0.1 mm)"`. `cases` is a CSV file or a table with a column per parameter; these
    parameters vary together.

    `measure` maps names to formulas over the columns, such as `"max(abs(elbow.fx))"`, or to functions of the `Solution`; default: the
    largest force and moment of every joint. `analysis` is run, kinematics, static, modes or campbell; `number`, `over`, `load_steps`,
    `at`, `static`, `rotating_about`, `rate` and `frozen` belong to these, `t` and other `settings` to a run.

    Without an `executor` the engine uses `jobs` threads (default: one per core). An `executor` of `concurrent.futures`, or a
    `dask.distributed.Client`, gets `batch` members per task. The table does not depend on any of these, bit for bit. The row of a failed member contains the reason. Ctrl-C returns the finished members; `complete` is then false.

    >>> import taut
    >>> m = taut.Model("Stone", gravity=[0, 0, -9.81]).body("stone", type="point_mass", mass="1 kg")
    >>> found = taut.sweep(m, {"stone.mass": [1, 2]}, measure={"fall": "final(stone.z)"}, t=1)
    >>> found["stone.mass"], found["fall"].round(9), found["verdict"]
    (array([1., 2.]), array([-4.905, -4.905]), array(['sound', 'sound'], dtype=object))
    """
    chosen = as_model(model)
    if chosen._events:
        raise _taut.TautError("a sweep cannot use events that are functions; give their conditions as text")
    keep, functions = measures(measure)
    text, path, elements = chosen._origin()
    changes = texts({**chosen._set, **run_settings(t, **settings)})
    point = _point(at, static, rotating_about, rate, frozen)
    speeds = None if over is None else one_variation(over)
    task = _Task(
        (text, os.path.abspath(path), list(changes), elements),
        variations(vary or {}),
        case_table(cases),
        sampling(sample, count, seed),
        (analysis, positive("number", number), load_steps, point, speeds),
        keep,
        functions,
    )
    plan = task.plan()
    taken = {"member", "status", "verdict", "steps", "message", *(p[0] for p in plan.parameters), *(c[0] for c in plan.columns)}
    for name in functions:
        if name in taken:
            raise _taut.TautError(f"measure: two columns have the name `{name}`")
    if executor is None:
        cores = os.cpu_count() or 1
        rows, interrupted = plan.run(0, plan.members, positive("jobs", cores if jobs is None else jobs))
    else:
        if jobs is not None:
            raise TypeError("`jobs` is for threads of the engine; an executor has its own number of workers")
        rows, interrupted = _distributed(task, plan.members, executor, batch)
    columns = [*plan.columns, *((name, "", "function") for name in functions)]
    return Sweep(plan.title, plan.parameters, columns, plan.members, rows, interrupted)


# Where members are computed


def _distributed(task: _Task, members: int, executor: Any, batch: int | None) -> tuple[list[Row], bool]:
    """Rows from an executor or a cluster, sorted; true if Ctrl-C stopped it."""
    dask = hasattr(executor, "scheduler_info") and hasattr(executor, "submit")
    if not dask and not hasattr(executor, "submit"):
        kind = type(executor).__name__
        raise TypeError(f"executor is a {kind}; give an executor of concurrent.futures or a dask.distributed.Client")
    if dask and getattr(executor, "asynchronous", False):
        raise TypeError("executor is an asynchronous dask client; give a synchronous one")
    size = _batch(members, _workers(executor, dask), batch)
    ranges = [(first, min(first + size, members)) for first in range(0, members, size)]
    own = replace(task, key=_key(task))
    if isinstance(executor, ProcessPoolExecutor):
        try:
            pickle.dumps(own)
        except (pickle.PicklingError, AttributeError, TypeError) as e:
            raise _taut.TautError(f"the sweep cannot be sent to another process: {e}; define its functions in a module") from None
    rows: list[Row] = []
    futures: list[Any] = []
    try:
        if dask:
            # A result of a task, not scattered data: the scheduler computes it again if its worker is lost.
            common = executor.submit(_identity, own, pure=False)
            futures = [executor.submit(_run_batch, common, *part, pure=False) for part in ranges]
            completed: Any = import_module("distributed").as_completed
            for _, found in completed(futures, with_results=True):
                rows += found
        else:
            futures = [executor.submit(_run_batch, own, *part) for part in ranges]
            for future in futures:
                rows += future.result()
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    except BrokenExecutor as e:
        message = f"a worker process died after {len(rows)} of {members} members; dask.distributed repeats the members of lost workers"
        raise _taut.TautError(message) from e
    finally:
        # After the end this has no effect.
        for future in futures:
            future.cancel()
    return sorted(rows, key=lambda row: row[0]), interrupted


def _key(task: _Task) -> str:
    """Identifies a task, so that a worker reads its model once."""
    parts = (task.model[:3], task.vary, task.cases, task.sample, task.analysis, task.keep)
    functions = [repr(f) for f in (*task.model[3], *task.functions.items())]
    # Functions with the same text may still differ: their tasks are not shared.
    own = os.urandom(8).hex() if functions else ""
    return hashlib.sha256(repr((_taut.__version__, parts, functions, own)).encode()).hexdigest()


def _workers(executor: Any, dask: bool) -> int:
    if dask:
        return max(1, sum(int(n) for n in executor.nthreads().values()))
    found = getattr(executor, "_max_workers", None)
    return found if isinstance(found, int) and found > 0 else os.cpu_count() or 1


def _batch(members: int, workers: int, batch: int | None) -> int:
    """Members per task: a few tasks per worker, so that none waits long at the end, and few enough tasks for a scheduler."""
    if batch is not None:
        return positive("batch", batch)
    return min(max(1, -(-members // (_BATCHES_PER_WORKER * workers))), _MAX_BATCH)


def read_sweep(folder: str | os.PathLike[str]) -> Sweep:
    """Reads the table of a sweep that `taut sweep` or `taut gather` has written."""
    title, parameters, columns, members, rows = _taut.read_sweep(os.fspath(folder))
    return Sweep(title, parameters, columns, members, rows, len(rows) < members)
