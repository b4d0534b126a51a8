"""The engine behind the package; `taut` gives it names."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]
_Complex = NDArray[np.complex128]
_Event = tuple[str, Any, float, int]
_Point = tuple[float | None, bool, Sequence[float] | None, float | None, bool]
_Columns = list[tuple[str, str, str, _Array]]
_Functions = Sequence[tuple[str, str, list[str], Any, int, str]]
_Row = tuple[int, list[float | str], list[float], str, str | None, int, str, float]

__all__ = [
    "AnalysisError",
    "Compiled",
    "Constrained",
    "DenseOutput",
    "FORMAT",
    "Markers",
    "ModelError",
    "PUBLISHED",
    "RawSolution",
    "State",
    "Stepper",
    "SweepPlan",
    "TautError",
    "__version__",
    "accelerations",
    "arrow_stream",
    "assemble",
    "branches",
    "campbell",
    "check",
    "compile",
    "correction",
    "equilibrium",
    "inverse",
    "kinematics",
    "lab",
    "linearize",
    "main",
    "modes",
    "multiblade",
    "page",
    "periodic",
    "published",
    "read_run",
    "read_sweep",
    "response",
    "simulate",
    "sweep_csv",
    "trim",
    "write_run",
]
__version__: str
FORMAT: int
PUBLISHED: list[str]

class TautError(ValueError):
    """Input that Taut rejects; the message says what, where and what to do."""

class ModelError(TautError):
    """An invalid model or setting. `findings` lists every error with file, line and column."""

    findings: list[dict[str, Any]]

class AnalysisError(TautError):
    """An analysis that cannot begin, or finds no solution."""

@final
class State:
    """Time, coordinates, velocities, extra states, and the mode of every constraint. It never changes; `replace` makes another."""

    @property
    def t(self) -> float: ...
    @property
    def q(self) -> _Array: ...
    @property
    def v(self) -> _Array: ...
    @property
    def z(self) -> _Array: ...
    def replace(
        self,
        *,
        t: float | None = None,
        q: Sequence[float] | _Array | None = None,
        v: Sequence[float] | _Array | None = None,
        z: Sequence[float] | _Array | None = None,
    ) -> State: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str) -> State: ...

@final
class Compiled:
    @property
    def title(self) -> str: ...
    @property
    def warnings(self) -> list[dict[str, Any]]: ...
    def to_toml(self) -> str: ...
    def to_toml_at(self, state: State) -> str: ...
    @property
    def initial_state(self) -> State: ...
    @property
    def span(self) -> tuple[float, float]: ...
    @property
    def trim(self) -> dict[str, Any] | None: ...
    @property
    def state_names(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]: ...
    def elements(self) -> dict[str, list[dict[str, Any]]]: ...
    def settings(self) -> dict[str, Any]: ...
    def equations(self, state: State | None = None) -> dict[str, Any]: ...

@final
class DenseOutput:
    @property
    def span(self) -> tuple[float, float]: ...
    def at(self, times: Sequence[float]) -> _Columns: ...

@final
class RawSolution:
    @property
    def columns(self) -> _Columns: ...
    @property
    def outcome(self) -> Any: ...
    @property
    def message(self) -> str: ...
    @property
    def success(self) -> bool: ...
    @property
    def verdict(self) -> str | None: ...
    @property
    def warnings(self) -> list[dict[str, Any]]: ...
    @property
    def events(self) -> list[dict[str, Any]]: ...
    @property
    def statistics(self) -> dict[str, int]: ...
    @property
    def time_step(self) -> float | None: ...
    @property
    def elapsed(self) -> float: ...
    @property
    def final_state(self) -> State: ...
    @property
    def extremes(self) -> dict[str, Any]: ...
    @property
    def dense(self) -> DenseOutput | None: ...

@final
class Stepper:
    def __new__(cls, compiled: Compiled, events: Sequence[_Event], state: State | None) -> Stepper: ...
    @property
    def t(self) -> float: ...
    @property
    def t_end(self) -> float: ...
    @property
    def state(self) -> State: ...
    @property
    def underway(self) -> bool: ...
    @property
    def message(self) -> str: ...
    @property
    def notice(self) -> str | None: ...
    def step(self, count: int) -> bool: ...
    def advance(self, t: float) -> bool: ...
    def set_variables(self, values: Sequence[tuple[str, float]]) -> None: ...
    def values(self, names: Sequence[str]) -> list[float]: ...
    @property
    def columns(self) -> list[tuple[str, str, str]]: ...
    def solution(self) -> RawSolution: ...

@final
class Markers:
    """The motions of the markers of an element, as a function of Python sees them: positions `p`, velocities `v`, angular velocities
    `w`, orientations `R`, in world axes. With one marker they are vectors, otherwise one row per marker."""

    @property
    def p(self) -> _Array: ...
    @property
    def v(self) -> _Array: ...
    @property
    def w(self) -> _Array: ...
    @property
    def R(self) -> _Array: ...
    @property
    def s(self) -> float: ...
    @property
    def rate(self) -> float: ...
    def __len__(self) -> int: ...

@final
class Constrained:
    def __new__(
        cls,
        f: Any,
        functions: tuple[Any, int, Any, int],
        states: int,
        positions: Sequence[int],
        rates: Sequence[int],
        mass: _Array | None,
    ) -> Constrained: ...
    def rates(self, t: float, y: _Array) -> _Array: ...
    def project(self, t: float, y: _Array) -> _Array: ...
    @property
    def multipliers(self) -> _Array: ...

@final
class SweepPlan:
    def __new__(
        cls,
        model: tuple[str, str, Sequence[tuple[str, str]], _Functions],
        vary: Sequence[str],
        cases: tuple[str, str] | None,
        sample: tuple[str, int, int] | None,
        analysis: tuple[str, int, int | None, _Point, str | None],
        keep: Sequence[str],
        measure: tuple[Any, int] | None,
    ) -> SweepPlan: ...
    @property
    def members(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def parameters(self) -> list[tuple[str, str]]: ...
    @property
    def columns(self) -> list[tuple[str, str, str]]: ...
    def run(self, first: int, end: int, jobs: int) -> tuple[list[_Row], bool]: ...

def main(arguments: Sequence[str]) -> int: ...
def compile(
    text: str,
    path: str,
    overrides: Sequence[tuple[str, str]],
    functions: _Functions,
) -> Compiled: ...
def simulate(compiled: Compiled, events: Sequence[_Event], state: State | None, dense: bool) -> RawSolution: ...
def check(compiled: Compiled, state: State | None) -> dict[str, Any]: ...
def assemble(compiled: Compiled, state: State | None, hold: Sequence[str]) -> tuple[State, dict[str, Any]]: ...
def branches(compiled: Compiled, starts: int | None, seed: int | None) -> tuple[list[State], dict[str, Any]]: ...
def periodic(
    compiled: Compiled,
    state: State | None,
    point: tuple[float, bool, Sequence[str], float | None, bool, int],
    modes: bool,
    harmonics: Sequence[str],
    highest: int,
) -> dict[str, Any]: ...
def multiblade(compiled: Compiled, state: State | None, point: _Point, names: Sequence[str]) -> dict[str, Any]: ...
def trim(
    parameters: Sequence[tuple[str, float, float, float]],
    targets: Sequence[tuple[str, float, float]],
    iterations: int,
    function: Any,
) -> tuple[list[float], list[float], int, list[list[float]]]: ...
def equilibrium(
    compiled: Compiled,
    state: State | None,
    loading: tuple[int | None, tuple[float, float, int, float | None] | None],
    rotation: tuple[Sequence[float], float, Sequence[float]] | None,
) -> tuple[State, dict[str, Any], RawSolution]: ...
def kinematics(compiled: Compiled) -> RawSolution: ...
def inverse(
    compiled: Compiled, state: State | None, accelerations: Sequence[tuple[str, float]]
) -> tuple[list[str], dict[str, Any]]: ...
def modes(compiled: Compiled, state: State | None, point: _Point, number: int | None) -> dict[str, Any]: ...
def linearize(
    compiled: Compiled, state: State | None, point: _Point, form: str, inputs: Sequence[str], outputs: Sequence[str]
) -> dict[str, Any]: ...
def response(
    compiled: Compiled,
    state: State | None,
    point: _Point,
    input: str,
    outputs: Sequence[str],
    frequencies: Sequence[float],
) -> tuple[_Complex, str, list[str], list[str]]: ...
def campbell(
    models: Sequence[Compiled | None], point: _Point, number: int
) -> tuple[_Complex, _Array, list[float], list[str]]: ...
def lab(compiled: Compiled, of: tuple[Any, Any, Any, Any, bool, int | None]) -> dict[str, Any]: ...
def read_run(folder: str) -> tuple[_Columns, dict[str, Any]]: ...
def write_run(
    compiled: Compiled,
    folder: str,
    format: str,
    replace: bool,
    data: _Columns,
    facts: tuple[str, str, str, str, str, float | None],
) -> None: ...
def sweep_csv(parameters: Sequence[str], columns: Sequence[str], rows: Sequence[_Row]) -> str: ...
def read_sweep(
    folder: str,
) -> tuple[str, list[tuple[str, str]], list[tuple[str, str, str]], int, list[_Row]]: ...
def page(folder: str, budget: int) -> str: ...
def arrow_stream(columns: Sequence[tuple[str, str, _Array]]) -> Any: ...
def accelerations(M: _Array, f: _Array, A: _Array, b: _Array) -> tuple[_Array, _Array, int]: ...
def correction(W: _Array, A: _Array, r: _Array) -> tuple[_Array, _Array]: ...
def published(method: str, M: _Array, f: _Array, A: _Array, b: _Array) -> tuple[_Array, _Array]: ...
