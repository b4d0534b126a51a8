"""Random calls: whatever is given, the answer is a result or an exception of Python."""

import copy
import math
import os
import pickle
import random
import threading
import time

import numpy as np
import taut

CALLS = int(os.environ.get("TAUT_FUZZ_CALLS", "600"))

TEXTS = ["", " ", "bob", "crank", "ground", "3 kg", "-1 s", "1e400", "nan", "{", "[1", "x\0y", "a.b.c", "ü", "t*2", "pin", "planar",
         "all", "state", "../x", "a" * 5000]  # fmt: skip


class Odd:
    """Raises at every use."""

    def __float__(self):
        raise RuntimeError("odd")

    def __len__(self):
        return -1


def value(rng, depth=0):
    """A value that a user may pass by mistake."""
    kinds = [
        lambda: rng.choice(TEXTS), lambda: rng.choice([0, 1, -1, 2**70, 3.5, math.nan, math.inf, -math.inf, 1e308, 5e-324]),
        lambda: None, lambda: rng.choice([True, False]), lambda: np.full(rng.randrange(4), rng.uniform(-2, 2)), lambda: b"bytes",
        lambda: 1j, lambda: Odd(), lambda: np.array([[1.0, math.nan]]), lambda: (lambda *a: rng.choice([0, None, "x", math.nan, [1, 2, 3]])),
    ]  # fmt: skip
    if depth < 2:
        kinds += [
            lambda: [value(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: {rng.choice(["type", "mass", "a", "b", 3, ""]): value(rng, depth + 1) for _ in range(rng.randrange(3))},
        ]
    return rng.choice(kinds)()


def pendulum():
    m = taut.Model("Pendulum", gravity=[0, -9.81, 0]).body("bob", type="point_mass", mass=0.5, position=[0.3, 0, 0])
    m.variable("push").joint("string", type="rod", a="ground", b="bob", length=0.3)
    # A time such as 1e308 s is valid, so the runs need a limit.
    return m.settings(max_steps=500, wall_clock=1)


def function(rng):
    """A function that raises, or returns nonsense, at once or after some calls."""
    errors = [ValueError, KeyError, MemoryError, RecursionError, StopIteration, OSError, ArithmeticError, UnicodeError]
    error, answer, left = rng.choice(errors), value(rng), rng.choice([0, 3, 50])
    raises, sound = rng.choice([True, False]), rng.choice([0.0, [0.0] * 3, None])

    def called(*arguments):
        nonlocal left
        left -= 1
        if left >= 0:
            return sound
        if raises:
            raise error("on purpose")
        return answer

    return called


def with_functions(rng):
    """A run with functions of all kinds that fail."""
    f, m = function(rng), pendulum()
    how = {"t": 0.05, "max_steps": 200, "wall_clock": 1}
    return rng.choice(
        [
            lambda: taut.simulate(m.force("f", function=f, markers="bob"), **how),
            lambda: taut.simulate(m.force("f", function=f, markers=["bob", "bob.x"]), **how),
            lambda: taut.simulate(m.constraint("c", phi=f, markers="bob"), **how),
            lambda: taut.simulate(m.constraint("c", psi=f, markers="bob", rows=2), **how),
            lambda: taut.simulate(m.driver("d", coordinate="bob.z", position=f), **how),
            lambda: taut.simulate(m, events=[f, "bob.x"], **how),
            lambda: taut.simulate(m, controller=f, sample=0.01, **how),
            lambda: taut.static(m.force("f", function=f, markers="bob")),
            lambda: taut.modes(m.force("f", function=f, markers="bob"), static=True),
            lambda: taut.floquet(m.force("f", function=f, markers="bob"), 0.1),
            lambda: taut.assemble(m.constraint("c", phi=f, markers="bob"), branches=True, starts=3),
            lambda: taut.lab(m.force("f", function=f, markers="bob"), set={"settings.end_time": 0.01}, formulations=["lagrange"]),
            lambda: taut.sweep(m.force("f", function=f, markers="bob"), {"bob.mass": [1, 2]}, measure={"x": function(rng)}, **how),
            lambda: taut.constrain(f, phi=lambda t, q: q @ q - 1, q=[0, 1], v=[2, 3])(0.0, np.array([1.0, 0, 0, 1])),
            lambda: taut.constrain(lambda t, y: 0 * y, phi=f, q=[0, 1], v=[2, 3])(0.0, np.array([1.0, 0, 0, 1])),
        ]
    )  # fmt: skip


def changed_while_it_runs(rng, m):
    """Another thread changes a model that runs, a solution is copied, and all may be invalid by then."""
    fields = [({"type": "point_mass", "mass": value(rng)}, f"new{k}") for k in range(3)]

    def change():
        for given, name in fields:
            try:
                m.body(name, **given)
                m.set({"bob.mass": rng.uniform(0.1, 2)})
                repr(m)
            except Exception:
                continue

    thread = threading.Thread(target=change)
    thread.start()
    try:
        return taut.simulate(m, t=0.02, max_steps=200), copy.deepcopy(m), m.to_toml()
    finally:
        thread.join()


def restored(rng, original):
    """A pickle from another version, or a damaged one."""
    state = original.__getstate__() if not isinstance(original, taut.State) else None
    if state is None:
        return taut.State.from_json(original.to_json()[: rng.randrange(400)])
    for _ in range(rng.randrange(1, 3)):
        key = rng.choice([*state, "version", "more"])
        if rng.random() < 0.3:
            state.pop(key, None)
        else:
            state[key] = value(rng)
    new = type(original).__new__(type(original))
    new.__setstate__(state)
    return repr(new), pickle.loads(pickle.dumps(new)), new.simulate(0.01, max_steps=50) if isinstance(new, taut.Model) else new.y


def actions(rng, m, sim, sol):
    """One random call."""
    x = lambda: value(rng)  # noqa: E731
    name = lambda: rng.choice(["bob", "string", "new", x()])  # noqa: E731
    word = rng.choice(["t", "rtol", "atol", "method", "every", "step", "max_step", "formulation", "drift", "events", "set", "state", "max_steps"])
    add = rng.choice([m.body, m.joint, m.driver, m.constraint, m.force, m.beam, m.surface, m.contact, m.event, m.signal, m.measure])
    fields = {rng.choice(["type", "mass", "a", "b", "length", "position", "function", "markers", "phi", "rows", "when"]): x() for _ in range(3)}
    limits = {"max_steps": 200, "wall_clock": 1}
    return rng.choice(
        [
            lambda: add(name(), **fields), lambda: repr(m), lambda: m.set(x()), lambda: m.params(**{rng.choice(["l", "k"]): x()}),
            lambda: m.settings(**{word: x()}), lambda: taut.loads(x()), lambda: taut.load(x()), lambda: taut.read(x()),
            lambda: taut.simulate(m, **{**limits, word: x()}), lambda: taut.simulate(x()), lambda: m.to_toml(),
            lambda: taut.check(m, set=x()), lambda: taut.assemble(m, hold=x()), lambda: taut.static(m, load_steps=x()),
            lambda: taut.static(m, rotating_about=x(), rate=x()), lambda: taut.kinematics(m, every=x()), lambda: taut.inverse(m, x()),
            lambda: taut.modes(m, x(), at=x()), lambda: taut.modes(m, rotating_about=x(), rate=x()),
            lambda: taut.linearize(m, x(), x(), form=x()), lambda: taut.response(m, x(), x(), x()),
            lambda: taut.campbell(m, x(), x(), number=rng.choice([0, 3])), lambda: sim.advance(x()), lambda: sim.step(rng.choice([1, 3, x()])),
            lambda: sim.inputs.update({rng.choice(["push", "x"]): x()}), lambda: sim[x()], lambda: sim.values(x()),
            lambda: sol[x()], lambda: sol.at(x()), lambda: sol(x()), lambda: sol.reactions[x()], lambda: sol.state_names,
            lambda: sol.final_state.replace(q=x(), t=x()), lambda: taut.State.from_json(x()),
            lambda: taut.constrain(x(), phi=x(), q=x(), v=x()), lambda: taut.accelerations(x(), x(), x(), x()),
            lambda: taut.constrain(lambda t, y: x(), phi=lambda t, q: x(), q=[0, 1], v=[2, 3])(0.0, x()),
            lambda: taut.published(rng.choice(taut.PUBLISHED), x(), x(), x(), x()), lambda: m.equations(x()),
            lambda: taut.simulate(pendulum().force("f", function=lambda t, k: x(), markers="bob"), t=0.05, **limits),
            lambda: taut.simulate(pendulum().constraint("c", phi=lambda t, k: x(), markers="bob"), t=0.05, **limits),
            lambda: taut.simulate(pendulum(), t=0.05, events=lambda t, y: x(), **limits),
            lambda: m.__setstate__(x()), lambda: taut.simulate(m, t=0.01, **limits),
            lambda: taut.sweep(m, x(), measure=x(), t=0.01, **limits), lambda: taut.sweep(m, {"bob.mass": x()}, executor=x(), t=0.01, **limits),
            lambda: taut.sweep(pendulum(), {"bob.mass": [1, 2]}, measure={"x": lambda sol: x(), "y": x()}, t=0.01, **limits),
            lambda: taut.sweep(m, cases=x(), sample=x(), count=x(), seed=x(), t=0.01, **limits), lambda: taut.read_sweep(x()),
            lambda: taut.periodic(m, x(), hold=x(), harmonics=x()), lambda: taut.trim(m, x(), x(), period=x()),
            lambda: taut.assemble(m, branches=x(), starts=3, seed=x()), lambda: taut.modes(m, multiblade=x(), rotating_about=x()),
            lambda: taut.check(m).unique(x()), *[lambda: with_functions(rng)()] * 4,
            lambda: changed_while_it_runs(rng, m), lambda: restored(rng, rng.choice([m, sol, sol.final_state])),
        ]
    )  # fmt: skip


def test_random_calls():
    rng = random.Random(20)
    sol = taut.simulate(pendulum(), t=0.1, every=0.02)
    m, sim = pendulum(), taut.Simulation(pendulum(), t=1)
    results = errors = 0
    slowest = 0.0
    for i in range(CALLS):
        began = time.perf_counter()
        if i % 20 == 0:
            m, sim = pendulum(), taut.Simulation(pendulum(), t=1)
        try:
            actions(rng, m, sim, sol)()
            results += 1
        except Exception as e:
            errors += 1
            assert "panic" not in f"{type(e).__name__} {e}".lower(), e
        slowest = max(slowest, time.perf_counter() - began)
    print(f"{CALLS} calls: {results} results, {errors} exceptions, the slowest took {slowest:.1f} s")
    assert results > CALLS // 20 and errors > CALLS // 20
    # The interpreter is in order afterwards.
    assert taut.simulate(pendulum(), t=0.1).success
