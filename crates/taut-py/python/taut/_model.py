"""Models: read from a file or a text, or built in Python with the words of the model file."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _taut, _toml
from ._fields import copied, given, joined, marker_names, only, texts, user_event
from ._pickles import unpickled
from ._views import ModelViews

if TYPE_CHECKING:
    from ._assembly import Check
    from ._solution import Solution
    from ._sweep_table import Sweep

Field = Any
Changes = Mapping[str, Any]
_Function = tuple[str, str, list[str], Any, int, str]
_CACHED_MODELS = 16
_PICKLED = ("_path", "_text", "_top", "_tables", "_elements", "_set", "_functions", "_events")
_ROBOTS = {".urdf", ".xml", ".mjcf"}


class Model(ModelViews):
    """A mechanism: bodies, joints, forces and the settings of its runs.

    `taut.load` and `taut.loads` read one; the methods below add elements with the words of the model file. Numbers are in SI units;
    a text may have a unit or use a parameter. Every method returns the model.

    >>> m = Model("Pendulum", gravity=[0, -9.81, 0])
    >>> _ = m.body("bob", type="point_mass", mass="0.5 kg", position=["30 cm", 0, 0])
    >>> _ = m.joint("string", type="rod", a="ground", b="bob", length=0.3)
    >>> m
    Model('Pendulum': 1 body, 1 joint)
    >>> m.bodies["bob"].mass
    0.5
    """

    def __init__(self, title: str = "", *, gravity: Sequence[Field] | None = None) -> None:
        self._path = Path("model.toml")
        self._text: str | None = None
        self._top: dict[str, Field] = {}
        self._tables: dict[str, dict[str, Field]] = {"params": {}, "settings": {}, "outputs": {}}
        self._elements: list[tuple[str, str, dict[str, Field]]] = []
        self._set: dict[str, Field] = {}
        self._functions: list[_Function] = []
        self._events: list[tuple[str, Any, float, int]] = []
        self._forget()
        if title:
            self._top["title"] = title
        if gravity is not None:
            self._top["gravity"] = gravity

    @classmethod
    def _read(cls, text: str, path: Path) -> Model:
        model = cls()
        model._text, model._path = text, path
        model._compiled()
        return model

    def _forget(self) -> None:
        self._cache: OrderedDict[tuple[tuple[str, str], ...], _taut.Compiled] = OrderedDict()
        self._lock = threading.Lock()

    # Elements

    def body(self, name: str, /, **fields: Field) -> Model:
        """Adds a body: `type` is rigid, planar, point_mass, variable, generalised, modal or ritz."""
        return self._add("bodies", name, fields)

    def marker(self, name: str, /, at: Field = None, **fields: Field) -> Model:
        """Adds a frame `body.name` or `ground.name`, at a position or with fields."""
        return self._add("markers", name, {"": at} if at is not None and not fields else {**fields, **given(at=at)})

    def joint(self, name: str, /, **fields: Field) -> Model:
        """Adds a joint: `type`, the markers `a` and `b`, and the fields of its type."""
        return self._add("joints", name, fields)

    def driver(self, name: str, /, **fields: Field) -> Model:
        """Adds a prescribed motion of a coordinate: `position`, `velocity` or `acceleration`, a function of time."""
        return self._add("drivers", name, fields)

    def constraint(self, name: str, /, **fields: Field) -> Model:
        """Adds another constraint. A function `phi(t, markers)` or `psi(t, markers)` of Python needs `markers` and `rows`."""
        for word, level in (("phi", "position"), ("psi", "velocity")):
            function = fields.get(word)
            if callable(function):
                markers = marker_names(name, fields)
                rows = fields.get("rows", 1)
                only(name, fields, {word, "markers", "rows"})
                return self._function(("constraint", name, markers, function, int(rows), level))
        return self._add("constraints", name, fields)

    def force(self, name: str, /, **fields: Field) -> Model:
        """Adds a force. A `function(t, markers)` of Python, or the address of a compiled one, needs `markers`."""
        function = fields.get("function")
        if callable(function) or isinstance(function, int):
            only(name, fields, {"function", "markers"})
            address = getattr(function, "address", function)
            return self._function(("force", name, marker_names(name, fields), address, 0, ""))
        return self._add("forces", name, fields)

    def beam(self, name: str, /, **fields: Field) -> Model:
        """Adds a beam."""
        return self._add("beams", name, fields)

    def variable(self, name: str, /, value: Field = 0) -> Model:
        """Adds a number that events and `Simulation.inputs` change; formulas call it `name.value`."""
        return self._add("bodies", name, {"type": "variable", "value": value})

    def surface(self, name: str, /, **fields: Field) -> Model:
        """Adds a shape that can come into contact."""
        return self._add("surfaces", name, fields)

    def contact(self, name: str, /, **fields: Field) -> Model:
        """Adds a contact law of surfaces."""
        return self._add("contacts", name, fields)

    def event(self, name: str, /, **fields: Field) -> Model:
        """Adds an event: a condition `when` as text, or a `function(t, y)` of Python with `terminal` and `direction`."""
        function = fields.get("function")
        if callable(function):
            only(name, fields, {"function", "terminal", "direction"})
            self._events.append(user_event(name, function, fields.get("terminal"), fields.get("direction")))
            return self
        return self._add("events", name, fields)

    def signal(self, name: str, /, **fields: Field) -> Model:
        """Adds a named function of time."""
        return self._add("signals", name, fields)

    def measure(self, name: str, /, **fields: Field) -> Model:
        """Adds a coordinate to the results."""
        return self._add("measures", name, fields)

    def params(self, **values: Field) -> Model:
        """Adds or changes parameters."""
        return self._put("params", values)

    def settings(self, **values: Field) -> Model:
        """Changes settings of a run: `duration`, `rtol`, `method` …"""
        return self._put("settings", values)

    def outputs(self, **values: Field) -> Model:
        """Changes what is recorded: `every`, `columns` …"""
        return self._put("outputs", values)

    def set(self, values: Mapping[str, Field]) -> Model:
        """Changes parameters or fields by name, as `--set` of the command does: `{"crank.mass": "2 kg"}`."""
        texts(values)
        return self._changed(lambda: self._set.update(values))

    def _add(self, section: str, name: str, fields: dict[str, Field]) -> Model:
        if not isinstance(name, str) or not name:
            raise TypeError(f"the name of an element is a text; {name!r} is none")
        if any(s == section and n == name for s, n, _ in self._elements):
            raise _taut.ModelError(f"{section} has `{name}` already; choose another name")
        # Values that no file can contain are reported here, everything else by the reader.
        _toml.table("x", {k or "at": v for k, v in fields.items()}, [])
        return self._changed(lambda: self._elements.append((section, name, dict(fields))))

    def _function(self, function: _Function) -> Model:
        return self._changed(lambda: self._functions.append(function))

    def _put(self, section: str, values: Mapping[str, Field]) -> Model:
        if self._text is not None:
            return self.set({f"{section}.{name}": x for name, x in values.items()})
        _toml.table("x", values, [])
        return self._changed(lambda: self._tables[section].update(values))

    def _changed(self, change: Callable[[], object]) -> Model:
        with self._lock:
            change()
            self._cache.clear()
        return self

    # Reading and building

    def _source(self) -> tuple[str, list[_Function]]:
        """The text of the model and the functions in it."""
        functions = list(self._functions)
        if self._text is None:
            lines = [f"taut = {_taut.FORMAT}"]
            lines += [f"{name} = {_toml.value(x)}" for name, x in self._top.items()]
            blocks = ["\n".join(lines) + "\n"]
            blocks += [_toml.table(name, t, []) for name, t in self._tables.items() if t and name == "params"]
        elif self._path.suffix.lower() in _ROBOTS:
            blocks = [f"taut = {_taut.FORMAT}\ninclude = [{_toml.string(self._path.name)}]\n"]
        else:
            blocks = [self._text]
        for section, name, fields in self._elements:
            found: list[tuple[tuple[str, ...], Any]] = []
            if list(fields) == [""]:
                blocks.append(f"[{section}]\n{_toml.key(name)} = {_toml.value(fields[''])}\n")
            else:
                blocks.append(_toml.table(f"{section}.{_toml.key(name)}", fields, found))
            functions += [("signal", name, list(path), f, 0, "") for path, f in found]
        if self._text is None:
            blocks += [_toml.table(name, t, []) for name, t in self._tables.items() if t and name != "params"]
        return "\n".join(joined(blocks)), functions

    def _origin(self) -> tuple[str, Path, list[_Function]]:
        """The same with the path that messages name and that finds included files."""
        (text, functions), path = self._source(), self._path
        if self._text is not None and path.suffix.lower() in _ROBOTS:
            # The reader includes the robot by its name.
            path = path.with_suffix(".toml")
        elif self._text is not None and self._elements:
            # Lines of added elements are not in the file.
            path = path.with_name(f"{path.name} with elements from Python")
        return text, path, functions

    def _compiled(self, changes: Mapping[str, Field] | None = None) -> _taut.Compiled:
        """The model that was read and built with these changes."""
        whole = texts({**self._set, **(changes or {})})
        with self._lock:
            known = self._cache.get(whole)
            if known is not None:
                self._cache.move_to_end(whole)
                return known
            text, path, functions = self._origin()
        compiled = _taut.compile(text, str(path), list(whole), functions)
        with self._lock:
            self._cache[whole] = compiled
            while len(self._cache) > _CACHED_MODELS:
                self._cache.popitem(last=False)
        return compiled

    def to_toml(self) -> str:
        """The model as a file. A model built in Python keeps its units and parameters; others are written in SI units.

        >>> print(Model("Stone").body("stone", type="point_mass", mass="2 kg").to_toml())
        taut = 2
        title = "Stone"
        <BLANKLINE>
        [bodies.stone]
        type = "point_mass"
        mass = "2 kg"
        <BLANKLINE>
        """
        text, functions = self._source()
        if functions:
            names = ", ".join(f"`{f[1]}`" for f in functions)
            raise _taut.ModelError(f"a file cannot contain functions of Python: {names}")
        compiled = self._compiled()
        return text if self._text is None and not self._set else compiled.to_toml()

    def at(self, state: _taut.State) -> Model:
        """The same model with its start at a state: an assembled pose, an equilibrium, the end of a run."""
        return loads(self._compiled().to_toml_at(state), self._path.with_suffix(".toml"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    # Shortcuts

    def simulate(self, t: Field = None, **settings: Any) -> Solution:
        """Runs the model: `taut.simulate(model, t, ...)`."""
        from ._analyses import simulate

        return simulate(self, t, **settings)

    def sweep(self, vary: Mapping[str, Field] | None = None, **how: Any) -> Sweep:
        """Runs the model for many values of its parameters: `taut.sweep(model, vary, ...)`."""
        from ._sweep import sweep

        return sweep(self, vary, **how)

    def check(self) -> Check:
        """Counts freedoms and finds redundant constraints: `taut.check(model)`."""
        from ._assembly import check

        return check(self)

    # Python

    def copy(self) -> Model:
        """A copy that changes independently."""
        new = Model()
        new.__setstate__(self.__getstate__())
        return new

    def __copy__(self) -> Model:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            state = {name: copied(getattr(self, name)) for name in _PICKLED}
        return {**state, "version": _taut.__version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(unpickled(state, "model", "save models as files (`model.save`) to keep them", _PICKLED))
        self._forget()

    def __repr__(self) -> str:
        try:
            compiled = self._compiled()
        except _taut.TautError as e:
            first = str(e).splitlines()[0]
            return f"Model(not valid yet: {first})"
        counts = []
        elements = compiled.elements()
        constraints = elements["constraints"]
        joints = sum(c["section"] == "joint" for c in constraints)
        for count, one, many in (
            (len(elements["bodies"]), "body", "bodies"),
            (joints, "joint", "joints"),
            (len(constraints) - joints, "other constraint", "other constraints"),
            (len(elements["forces"]), "force", "forces"),
        ):
            if count:
                counts.append(f"{count} {one if count == 1 else many}")
        title = compiled.title or self._path.stem
        return f"Model({title!r}: {', '.join(counts) or 'empty'})"

    def _repr_html_(self) -> str:
        from ._assembly import check
        from ._html import viewer

        try:
            found = check(self)
        except _taut.TautError as e:
            return f"<pre>{escape(str(e))}</pre>"
        rows = "".join(
            f"<tr><td>{escape(b.name)}</td><td>{escape(str(b.type))}</td>"
            f"<td style='text-align:right'>{'' if b.__dict__['mass'] is None else format(b.__dict__['mass'], '.6g')}</td></tr>"
            for b in list(self.bodies.values())[:30]
        )
        notes = "".join(f"<pre>{escape(w)}</pre>" for w in [*self.warnings, *found.errors])
        return (
            f"<b>{escape(self.title or repr(self))}</b><table><tr><th>body</th><th>type</th><th>mass [kg]</th></tr>{rows}"
            f"</table><pre>{escape(found.text)}</pre>{notes}{viewer(self)}"
        )


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model file: TOML, URDF or MJCF (.xml).

    The messages about errors are those of the command, with line and column.
    """
    place = Path(path)
    try:
        text = place.read_bytes().decode("utf-8")
    except UnicodeDecodeError as e:
        raise _taut.ModelError(f"{place} is not UTF-8 text (byte {e.start})") from None
    return Model._read(text, place)


def loads(text: str, path: str | os.PathLike[str] = "model.toml") -> Model:
    """Reads a model from a text; `path` is used in messages and to find included files.

    >>> loads('taut = 2\\n[bodies.stone]\\ntype = "point_mass"\\nmass = 2\\n')
    Model('model': 1 body)
    """
    if not isinstance(text, str):
        raise TypeError(f"the model is a {type(text).__name__}; `loads` takes a text, `load` a path")
    return Model._read(text, Path(path))


ModelLike = Model | str | os.PathLike[str]


def as_model(model: ModelLike) -> Model:
    """A model, or the path of one."""
    if isinstance(model, Model):
        return model
    if isinstance(model, (str, os.PathLike)):
        return load(model)
    raise TypeError(f"a {type(model).__name__} is no model; give a taut.Model or the path of a model file")
