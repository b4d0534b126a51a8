"""Taut and other engines on the same problems, side by side in one run.

usage: python bench/peers.py --peers PATH_TO_PEER_SCRIPTS [--python VENV_PYTHON] [--repeats N]

See bench/README.md for the problems, the keys of a RESULT line and how to install the peers.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = "cargo run --quiet --release -p taut --example peers --"
BUILD = ["cargo", "build", "--release", "-p", "taut", "--example", "peers"]
PROBLEMS = ("P1", "P2", "P3", "P4")
SCRIPTED = {"pinocchio": "P1 P2 P3 P4", "mujoco": "P1 P2 P4", "simbody": "P1 P2 P4"}  # peers with a case list below
SAMPLE = 0.01
SLACK = 1.1  # a peer may miss the accuracy by 10 %

# (problem, what is required, limit for ours, limit for theirs); a limit is (key, value)
CONDITIONS = [
    ("P1", "energy to 1e-6 J", ("dE", 1e-6), ("dE", 1e-6)),
    ("P1", "position to 1e-9 m", ("pos_err", 1e-9), ("pos_err", 1e-9)),
    ("P2", "ours 1e-9 m, theirs 1.5e-4 J", ("pos_err", 1e-9), ("dE", 1.5e-4)),
    ("P2", "position to 1e-9 m", ("pos_err", 1e-9), ("pos_err", 1e-9)),
    ("P3", "one evaluation, ns per link", ("us_eval", math.inf), ("us_eval", math.inf)),
    ("P3", "1 s, position to 1e-9 m", ("pos_err", 1e-9), ("pos_err", 1e-9)),
    ("P4", "energy to 1e-6 J", ("dE", 1e-6), ("dE", 1e-6)),
    ("P4", "position to 1e-9 m", ("pos_err", 1e-9), ("pos_err", 1e-9)),
]


# ------------------------------------------------------------------ worker: one peer, one problem, in the peers' Python
SIMBODY_MAIN = r"""
// Accuracy on the very steps that were timed: the integrator reports every internal step and is never made to stop in between.
#define main peer_main
#include "simbody_bench.cpp"
#undef main
static void aligned(const char* problem, const std::string& cas, int n, Real T, Real acc, int reps, std::function<std::unique_ptr<World>()> make) {
    char name[80], buf[160];
    snprintf(name, sizeof name, "RK-Merson variable, acc %g", acc);
    Method m{name, 0, acc, 0};
    try {
        double wall = 1e99, c = 1e99, begin = now();
        long timed = 0;
        for (int i = 0; i < reps && (i == 0 || now() - begin < 4); ++i) {
            auto w = make();
            auto it = integ(*w, m);
            TimeStepper ts(w->sys, *it);
            ts.initialize(w->state);
            double t0 = now(), c0 = cpu();
            ts.stepTo(T);
            wall = std::min(wall, now() - t0), c = std::min(c, cpu() - c0);
            timed = it->getNumStepsTaken();
        }
        auto w = make();
        auto it = integ(*w, m);
        TimeStepper ts(w->sys, *it);
        ts.setReportAllSignificantStates(true);
        ts.initialize(w->state);
        std::string tips, en, times;
        Real viol = 0, last = -1;
        for (;;) {
            w->state = it->getState();
            w->sys.realize(w->state, Stage::Dynamics);
            Real t = w->state.getTime();
            if (t > last) {
                Vec3 p = w->matter.getMobilizedBody(w->tipBody).findStationLocationInGround(w->state, w->tip);
                const char* sep = last < 0 ? "" : ",";
                snprintf(buf, sizeof buf, "%s[%.17g,%.17g,%.17g]", sep, p[0], p[1], p[2]); tips += buf;
                snprintf(buf, sizeof buf, "%s%.17g", sep, w->sys.calcEnergy(w->state)); en += buf;
                snprintf(buf, sizeof buf, "%s%.17g", sep, t); times += buf;
                viol = std::max(viol, w->violation());
                last = t;
            }
            if (t >= T) break;
            ts.stepTo(T);
        }
        printf("NATIVE {\"problem\":\"%s\",\"case\":\"%s\",\"n\":%d,\"method\":\"%s\",\"wall\":%.9g,\"cpu\":%.9g,\"steps\":%ld,\"steps_checked\":%d,\"T\":%g,"
               "\"viol\":%.6g,\"times\":[%s],\"tips\":[%s],\"energy\":[%s]}\n", problem, cas.c_str(), n, name, wall, c, timed, it->getNumStepsTaken(), T, viol,
               times.c_str(), tips.c_str(), en.c_str());
    } catch (const std::exception&) {
        printf("NATIVE {\"problem\":\"%s\",\"case\":\"%s\",\"n\":%d,\"method\":\"%s\",\"note\":\"FAILED: the integrator stopped\"}\n", problem, cas.c_str(), n, name);
    }
    fflush(stdout);
}
int main(int, char** argv) {
    std::string p = argv[1];
    int reps = atoi(argv[2]), full = atoi(argv[3]);
    if (p == "P1") for (Real a : {1e-5, 1e-8}) aligned("P1", "variable", 2, 10, a, reps, [] { return fourbar(2); });
    if (p == "P2") for (int N : {10, 40, 100}) if (N < 100 || full)
        for (Real a : {1e-4, 1e-6, 1e-8}) if (N == 10 || a > 1e-7) aligned("P2", "N=" + std::to_string(N), N, 1, a, reps, [=] { return fourbar(N); });
    if (p == "P4") for (Real a : {1e-5, 1e-6, 1e-7, 1e-8, 1e-10}) aligned("P4", "variable", 5, 10, a, reps, [] { return bricard(); });
}
"""


def timed(fn, reps, budget=4.0):
    """Minimum wall and CPU time of fn() over at most `reps` runs."""
    wall = cpu = math.inf
    begin = time.perf_counter()
    for i in range(reps):
        if i and time.perf_counter() - begin > budget:
            break
        w, c = time.perf_counter(), time.process_time()
        fn()
        w, c = time.perf_counter() - w, time.process_time() - c
        wall, cpu = min(wall, w), min(cpu, c)
    return dict(wall=wall, cpu=cpu)


def score(rec, pb):
    """Replaces `tips`, `energy` (and `times`) of a record by dE and pos_err, by the peers' own references."""
    import numpy as np
    from scipy.integrate import solve_ivp
    from scipy.interpolate import make_interp_spline
    rec = dict(rec)
    tips, energy, times = (rec.pop(k, None) for k in ("tips", "energy", "times"))
    p = rec["problem"]
    if energy:
        e = np.asarray(energy, float)
        rec["dE"] = float(np.abs(e - e[0]).max()) if p != "P3" else float(abs(e[-1] - e[0]))
    if tips:
        pts = np.asarray(tips, float)
        end = {"P1": pb.FOURBAR_T, "P2": 1.0, "P4": pb.BRICARD_T}.get(p)
        if end and (times[-1] if times else (len(pts) - 1) * pb.SAMPLE) < end - 1e-6:
            rec.update(note="FAILED: the record stops early", dE=None)
            return rec
        n = int(rec["n"]) if "n" in rec else 2 if p == "P1" else 5 if p == "P4" else int(rec["case"].split("=")[1])
        t = np.asarray(times, float) if times else np.arange(len(pts)) * pb.SAMPLE
        if p in ("P1", "P2"):
            inertia, arm = pb.fourbar_coeffs(n)
            c = pb.G * arm / inertia
            s = solve_ivp(lambda _, y: (y[1], -c * np.cos(y[0])), (0, t[-1]), (np.pi / 2, -1.0), method="DOP853", rtol=1e-13, atol=1e-14, t_eval=np.minimum(t, t[-1]))
            ref, pts = np.column_stack((np.cos(s.y[0]), np.sin(s.y[0]))), pts[:, :2]
        elif p == "P4":
            r = pb.bricard_ref_cached()
            ref = r[: len(pts)] if not times else make_interp_spline(np.arange(len(r)) * pb.SAMPLE, r, k=7)(t)
        elif n <= 100:
            pts, ref = pts[-1:, :2], pb.chain_reference_tip(n, rec.get("T", 1.0))[None]
        else:
            ref = None
        if ref is not None:
            rec["pos_err"] = float(np.linalg.norm(pts - ref, axis=1).max())
    return rec


def work_pinocchio(problem, reps, full, pb):
    import numpy as np
    import pinocchio as pin
    import bench_pinocchio as bp

    m1, calls = bp.chain(1), 2000
    d1, z = m1.createData(), np.zeros(1)
    pool1, in1, out1 = pin.ModelPool(m1, 1), np.zeros((1, calls), order="F"), np.zeros((1, calls), order="F")
    call = timed(lambda: [pin.aba(m1, d1, z, z, z) for _ in range(calls)], 9)["cpu"] / calls
    call -= timed(lambda: pin.abaInParallel(1, pool1, in1, in1, in1, out1), 9)["cpu"] / calls

    class Idle:
        def __init__(self, v):
            self.a = np.zeros_like(v)

        def acc(self, q, v):
            return self.a

    def loop_time(q, v, dt, n):
        """CPU time of the Python stepping loop and of entering C++ four times a step, with nothing behind the calls."""
        idle = Idle(v)
        return timed(lambda: bp.rk4(idle, q, v, dt, n), 5)["cpu"] + 4 * n * max(0.0, call)

    def run(case, dt, T, system, q, v, joint, local, errors, label):
        n = int(round(T / dt))
        m = timed(lambda: bp.rk4(system, q, v, dt, n), reps)
        pb.SAMPLE = max(SAMPLE, dt)                       # a coarser step is sampled at every step
        pts, en, viol = bp.sampled(system, q, v, T, dt, bp.rk4, joint, local)
        out = dict(peer=bp.PEER, problem=problem, case=case, dE=np.abs(en - en[0]).max(), pos_err=errors(pts, en), viol=viol, steps=n)
        name = f"RK4 h={dt:.3g} + {label}"
        pb.emit(**out, method=name, loop=loop_time(q, v, dt, n), **m)

    if problem == "P1":
        for dt in (1e-2, 5e-3, 1e-2 / 6):
            m, cons, q, v, j = bp.fourbar(2, dt)
            run(f"dt={dt:.3g}", dt, pb.FOURBAR_T, bp.Constrained(m, cons), q, v, j, (0, 1, 0), lambda p, e: pb.fourbar_errors(2, p, e, pb.SAMPLE)[0], "constraintDynamics")
    if problem == "P2":
        for N in pb.P2_SIZES:
            for dt in (2.5e-2, 1 / 60, 1 / 80, 1e-2, 5e-3, 1e-2 / 3):
                m, cons, q, v, j = bp.fourbar(N, dt)
                for label, cls in (("constraintDynamics", bp.Constrained), ("LCABA", bp.LoopABA)):
                    slow = (cls is bp.Constrained and N > 40) or (cls is bp.LoopABA and N > 10 and dt < 4e-3)
                    if full or not slow:
                        run(f"N={N}", dt, 1.0, cls(m, cons), q, v, j, (0, 1, 0), lambda p, e: pb.fourbar_errors(N, p, e, pb.SAMPLE)[0], label)
    if problem == "P3":
        rng = np.random.default_rng(0)
        for n in (1, 10, 100, 300):                       # memory of pin.Data grows as n^3: 300 takes 1.2 GB
            m = bp.chain(n)
            evals = max(50, 30000 // n)                   # the loop over the columns runs in C++, on one thread
            pool = pin.ModelPool(m, 1)
            q, v = (np.asfortranarray(0.1 * rng.standard_normal((n, evals))) for _ in range(2))
            tau, a = (np.zeros((n, evals), order="F") for _ in range(2))
            t = timed(lambda: pin.abaInParallel(1, pool, q, v, tau, a), 2 * reps + 1)
            pb.emit(peer=bp.PEER, problem="P3", case=f"n={n}", method="ABA, loop in C++", evals=evals, us_eval=1e6 * t["cpu"] / evals, **t)
            if n in (10, 100):
                s, q0, v0 = bp.Tree(m), pin.neutral(m), np.zeros(n)
                for dt in (2.5e-3, 2e-3, 1e-2 / 6):
                    ns = int(round(1 / dt))
                    t = timed(lambda: bp.rk4(s, q0, v0, dt, ns), reps)
                    q1, v1 = bp.rk4(s, q0, v0, dt, ns)
                    th = np.cumsum(q1)
                    err = np.linalg.norm(np.array([np.cos(th).sum(), np.sin(th).sum()]) - pb.chain_reference_tip(n, 1.0))
                    dE = abs(pin.computeMechanicalEnergy(m, s.d, q1, v1) - pin.computeMechanicalEnergy(m, s.d, q0, v0))
                    out = dict(peer=bp.PEER, problem="P3", case=f"n={n}", dE=dE, pos_err=err, viol=0.0, steps=ns)
                    pb.emit(**out, method=f"RK4 h={dt:.3g} + ABA", loop=loop_time(q0, v0, dt, ns), **t)
    if problem == "P4":
        ref = pb.bricard_ref_cached()
        for dt, mu in ((1e-2, 1e-4), (5e-3, 1e-6), (1e-2 / 7, 1e-6)):
            m, cons, q, v, j = bp.bricard(dt)
            run(f"dt={dt:.3g}", dt, pb.BRICARD_T, bp.Constrained(m, cons, mu=mu), q, v, j, pb.BRICARD_P[3] - pb.BRICARD_P[2],
                lambda p, e: np.linalg.norm(p - ref, axis=1).max(), "constraintDynamics")


def work_mujoco(problem, reps, full, pb):
    import mujoco
    import numpy as np
    import bench_mujoco as bm

    def run(case, dt, T, made, point, errors):
        m, d, reset = made
        n = int(round(T / dt))
        t = timed(lambda: (reset(), mujoco.mj_step(m, d, nstep=n)), reps)
        pb.SAMPLE = max(SAMPLE, dt)
        pts, en, viol = bm.sampled(m, d, reset, T, dt, point(m, d))
        pb.emit(peer=bm.PEER, problem=problem, case=case, method=f"RK4 h={dt:g}, solref=2h", dE=np.abs(en - en[0]).max(), pos_err=errors(pts, en),
                viol=viol, steps=n, note="soft loop", **t)

    crank = lambda m, d: lambda: bm.body_point(m, d, "k0", (0, 1, 0))
    if problem == "P1":
        for dt in (1e-3, 1e-4) if full else (1e-3,):
            run(f"dt={dt:g}", dt, pb.FOURBAR_T, bm.fourbar(2, dt, "RK4", True), crank, lambda p, e: pb.fourbar_errors(2, p, e, pb.SAMPLE)[0])
    if problem == "P2":
        for N in pb.P2_SIZES:
            for dt in (5e-3, 2e-3, 1e-3, 5e-4):
                run(f"N={N}", dt, 1.0, bm.fourbar(N, dt, "RK4", True), crank, lambda p, e: pb.fourbar_errors(N, p, e, pb.SAMPLE)[0])
    if problem == "P4":
        ref, P = pb.bricard_ref_cached(), pb.BRICARD_P
        for dt in (2e-3, 1e-3):
            run(f"dt={dt:g}", dt, pb.BRICARD_T, bm.bricard(dt, "RK4", True), lambda m, d: lambda: bm.body_point(m, d, "b2", P[3] - P[2]),
                lambda p, e: np.linalg.norm(p - ref, axis=1).max())


def build_simbody(peers):
    """Compiles the check above with the peers' simbody_bench.cpp; returns the program."""
    out = pathlib.Path(os.environ.get("PEER_BUILD_DIR", tempfile.gettempdir())) / "taut_bench_simbody"
    out.mkdir(parents=True, exist_ok=True)
    exe, src = out / "aligned", out / "aligned.cpp"
    stale = not exe.exists() or exe.stat().st_mtime < (pathlib.Path(peers) / "simbody_bench.cpp").stat().st_mtime
    if stale or not src.exists() or src.read_text() != SIMBODY_MAIN:
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "simbody"], capture_output=True, text=True, check=True).stdout.split()
        src.write_text(SIMBODY_MAIN)
        subprocess.run(["g++", "-O2", "-march=native", "-w", f"-I{peers}", str(src), "-o", str(exe), *flags, "-std=c++17", "-lpthread"], check=True)
    return exe


def work_simbody(problem, reps, full, pb, peers):
    p = subprocess.run([str(build_simbody(peers)), problem, str(reps), str(int(full))], capture_output=True, text=True)
    for line in p.stdout.splitlines():
        if line.startswith("NATIVE "):
            rec = json.loads(line[7:].replace("-nan", "null").replace("nan", "null").replace("-inf", "null").replace("inf", "null"))
            if rec.get("steps") != rec.get("steps_checked"):
                rec = dict({k: rec[k] for k in ("problem", "case", "method")}, note="FAILED: the checked run took other steps than the timed one")
            pb.emit(peer="simbody", **score(rec, pb))


def worker(a):
    sys.path.insert(0, str(a.peers))
    os.chdir(a.peers)
    import problems as pb
    kind, problem = a.worker
    if kind == "score":
        for line in sys.stdin:
            pb.emit(**score(json.loads(line), pb))
    elif kind == "simbody":
        work_simbody(problem, a.inner, a.full, pb, a.peers)
    elif kind in SCRIPTED:
        {"pinocchio": work_pinocchio, "mujoco": work_mujoco}[kind](problem, a.inner, a.full, pb)


# ------------------------------------------------------------------ parent: interleaves, merges, compares
def results(text):
    rows = []
    for line in text.splitlines():
        k = line.find("RESULT {")
        if k >= 0:
            rows.append(json.loads(line[k + 7:].replace("NaN", "null").replace("-Infinity", "null").replace("Infinity", "null")))
    return rows


class Runner:
    def __init__(self, a):
        self.a, self.rows, self.failed = a, [], {}
        self.env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self.pin = ["taskset", "-c", str(a.core)] if a.core >= 0 and shutil.which("taskset") else []

    def call(self, who, cmd, cwd, stdin=None):
        try:
            p = subprocess.run([*self.pin, *cmd], cwd=cwd, env=self.env, capture_output=True, text=True, timeout=self.a.timeout, input=stdin)
        except subprocess.TimeoutExpired:
            self.failed[who] = "timeout"
            return []
        if p.returncode:
            self.failed[who] = (p.stderr.strip().splitlines() or [f"code {p.returncode}"])[-1][:120]
        return results(p.stdout)

    def me(self, *words):
        a = self.a
        return [a.python, str(pathlib.Path(__file__).resolve()), "--peers", str(a.peers), "--inner", str(a.inner), *(["--full"] if a.full else []), "--worker", *words]

    def ours(self, problem):
        rows = self.call("taut", [*self.a.ours.split(), problem], ROOT)
        if any("tips" in r or "energy" in r for r in rows):  # scored by the peers' references
            rows = self.call("score", self.me("score", problem), ROOT, "".join(json.dumps(r) + "\n" for r in rows))
        return rows

    def theirs(self, peer, problem):
        if peer in SCRIPTED:
            return self.call(peer, self.me(peer, problem), ROOT) if problem in SCRIPTED[peer] else []
        return self.call(peer, [self.a.python, f"bench_{peer}.py", problem], self.a.peers)

    def run(self):
        for problem in self.a.problems:
            for r in range(self.a.repeats):
                for who in ["taut", *self.a.engines]:
                    got = self.ours(problem) if who == "taut" else self.theirs(who, problem)
                    for row in got:
                        row["round"] = r
                        if row.get("problem") == problem:
                            self.rows.append(row)
                    print(f"{problem} round {r + 1}/{self.a.repeats} {who}: {len(got)} rows", file=sys.stderr, flush=True)


def merged(rows):
    """One row per engine, case and method: minima of the times, worst of the errors, and the time of every round.

    A row with `loop` (time of a Python stepping loop) gives a second one without it: what the engine alone costs.
    """
    out = {}
    for r in rows:
        m = out.setdefault((r["peer"], r["problem"], r["case"], r["method"]), dict(r, rounds={}))
        spent = r["us_eval"] if r.get("us_eval") is not None else r["cpu"] if r.get("cpu") is not None else r.get("wall")
        if spent is None:
            continue
        m["rounds"][r["round"]] = min(spent, m["rounds"].get(r["round"], math.inf))
        for key, pick in (("cpu", min), ("wall", min), ("loop", min), ("us_eval", min), ("dE", max), ("pos_err", max), ("viol", max)):
            if r.get(key) is not None:
                m[key] = r[key] if m.get(key) is None else pick(m[key], r[key])
    out = [m for m in out.values() if m["rounds"]]
    for m in [m for m in out if m.get("loop")]:
        out.append(dict(m, method=m["method"] + ", without the Python loop (estimate)", cpu=m["cpu"] - m["loop"], rounds={k: v - m["loop"] for k, v in m["rounds"].items()}))
    return out


def links(r):
    return int(r["case"].split("=")[1])


def cost(r, evaluation):
    """ns per link of one evaluation, else ms of CPU."""
    if evaluation:
        return 1e3 * r["us_eval"] / links(r)
    return 1e3 * (r["cpu"] if r.get("cpu") is not None else r["wall"])


def best(rows, limit, evaluation, slack=1.0):
    key, top = limit
    ok = [r for r in rows if r.get(key) is not None and r[key] <= top * slack and (evaluation or r.get("us_eval") is None)]
    ok = [r for r in ok if (r.get("pos_err") or 0.0) < 1e-3]   # right energy on a wrong branch does not count
    return min(ok, key=lambda r: cost(r, evaluation), default=None)


def fmt(x, f="{:.0e}"):
    return "–" if x is None else f.format(x)


def row_text(r, evaluation):
    if r is None:
        return "–", "–", "–"
    star = "" if r.get("cpu") is not None else " (wall)"
    errors = "–" if evaluation else " / ".join(fmt(r.get(k)) for k in ("dE", "pos_err", "viol"))
    return f"{r['peer']}: {r['method']}", fmt(cost(r, evaluation), "{:.3g}") + star, errors


def table(rows):
    rows = merged(rows)
    out = ["| problem | case | condition | best peer | CPU | dE J / pos m / loop m | ours | CPU | dE J / pos m / loop m | theirs / ours | by round |",
           "|---|---|---|---|---:|---|---|---:|---|---:|---|"]
    for problem, text, mine, other in CONDITIONS:
        evaluation = mine[0] == "us_eval"
        here = [r for r in rows if r["problem"] == problem]
        group = (lambda r: r["case"]) if problem in ("P2", "P3") else (lambda r: "10 s")
        sizes = sorted({group(r) for r in here}, key=lambda c: float(c.split("=")[1]) if "=" in c else 0)
        for case in sizes:
            mineb = best([r for r in here if r["peer"] == "taut" and group(r) == case], mine, evaluation)
            peers = [r for r in here if r["peer"] != "taut"]
            theirs = best([r for r in peers if group(r) == case], other, evaluation, SLACK)
            if evaluation and theirs is None and mineb:     # a size that no peer can hold: against the largest one measured
                largest = max((links(r) for r in peers if r.get("us_eval") is not None), default=None)
                theirs = best([r for r in peers if r.get("us_eval") is not None and links(r) == largest], other, True)
                theirs = theirs and dict(theirs, method=f"{theirs['method']} (n={largest})")
            if mineb is None and theirs is None:
                continue
            ratio, spread = "–", "–"
            if mineb and theirs:
                ratio = "{:.2f}".format(cost(theirs, evaluation) / cost(mineb, evaluation))
                scale = links(mineb) / links(theirs) if evaluation else 1.0
                each = [scale * theirs["rounds"][k] / mineb["rounds"][k] for k in mineb["rounds"] if k in theirs["rounds"]]
                spread = "{:.2f}–{:.2f}".format(min(each), max(each)) if each else "–"
            out.append("| " + " | ".join((problem, case, text, *row_text(theirs, evaluation), *row_text(mineb, evaluation), ratio, spread)) + " |")
    return "\n".join(out)


def everything(rows):
    out = ["| problem | case | engine | method | CPU ms | wall ms | us per evaluation | dE J | pos m | loop m |", "|---|---|---|---|---:|---:|---:|---:|---:|---:|"]
    for r in sorted(merged(rows), key=lambda r: (r["problem"], r["case"], r["peer"], r["method"])):
        ms = lambda k: fmt(None if r.get(k) is None else 1e3 * r[k], "{:.4g}")
        out.append("| " + " | ".join((r["problem"], r["case"], r["peer"], r["method"], ms("cpu"), ms("wall"), fmt(r.get("us_eval"), "{:.4g}"),
                                      fmt(r.get("dE"), "{:.1e}"), fmt(r.get("pos_err"), "{:.1e}"), fmt(r.get("viol"), "{:.1e}"))) + " |")
    return "\n".join(out)


def main():
    last = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else -1
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--peers", type=lambda s: pathlib.Path(s).resolve(), required=True, help="folder with problems.py and bench_*.py")
    ap.add_argument("--python", default=sys.executable, help="Python that has the peers installed")
    ap.add_argument("--repeats", type=int, default=3, help="rounds: ours, theirs, ours, theirs, ...")
    ap.add_argument("--inner", type=int, default=3, help="timed runs of one case within a round")
    ap.add_argument("--problems", type=lambda s: s.split(","), default=list(PROBLEMS))
    ap.add_argument("--engines", type=lambda s: s.split(","), default=list(SCRIPTED), help="also exudyn, drake, dart, ... (their script as it is)")
    ap.add_argument("--core", type=int, default=last, help="core to pin everything to; -1: do not pin")
    ap.add_argument("--ours", default=OURS, help="our command; the problem's name is appended")
    ap.add_argument("--full", action="store_true", help="also the slow cases")
    ap.add_argument("--all", action="store_true", help="print every row, not only the best ones")
    ap.add_argument("--timeout", type=float, default=900)
    ap.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.worker:
        worker(a)
        return
    if a.ours == OURS and subprocess.run(BUILD, cwd=ROOT).returncode:
        print("our example does not build; the peers run alone", file=sys.stderr)
        a.ours = "false"
    run = Runner(a)
    run.run()
    print(f"CPU in ms (ns per link where said), one core, minimum of {a.repeats} rounds of up to {a.inner} runs; theirs / ours above 1: we are faster.\n")
    print(table(run.rows))
    if a.all:
        print("\n" + everything(run.rows))
    for who, why in run.failed.items():
        print(f"\n{who} failed: {why}")


if __name__ == "__main__":
    main()
