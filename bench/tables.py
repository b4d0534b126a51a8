"""Measures the times that the pages quote, and writes the tables with machine, date and commit.

usage: python3 bench/tables.py                      # write all tables from bench/tables.json
       python3 bench/tables.py --check              # fail if a page differs from bench/tables.json
       python3 bench/tables.py --measure NAME,...   # measure again, store the figures, write the tables

NAME is `engine` (cargo alone), `constrain` (cargo alone) or `beams` (--python needs numpy and exudyn). A table is the text between
`<!-- table NAME: bench/tables.py -->` and `<!-- end of table -->`. Do not edit it by hand. The comparison with other rigid-body
engines prints its own table: bench/peers.py.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "bench" / "tables.json"


def output(command, **more):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, **more).stdout


def machine():
    """Processor, number of cores and load, as the tables say them."""
    info = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
    name = re.search(r"model name\s*:\s*(.+)", info)
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    busy = ", busy with other work" if load > 0.5 else ""
    return f"one core of {name[1].strip() if name else 'an unknown processor'} with {cores} cores{busy}"


def stamp():
    return {"date": datetime.date.today().isoformat(), "machine": machine(),
            "commit": output(["git", "rev-parse", "--short=8", "HEAD"]).strip()}


def origin(figures):
    commit = f", commit {figures['commit']}" if "commit" in figures else ""
    return f"Measured on {figures['date']} on {figures['machine']}{commit}."


# ------------------------------------------------------------------ engine: one right-hand side, two mechanisms
def measure_engine(_):
    scaling = output(["cargo", "bench", "-p", "taut", "--bench", "scaling"])
    sizes = {}
    for line in scaling.splitlines():
        found = re.match(r"(chain|four-bars)\s+(\d+)\s+([\d.]+)\s+\S+\s+(\d+)", line)
        if found:
            sizes[f"{found[1]} {found[2]}"] = {"ns_per_body": float(found[3]), "bytes_per_body": int(found[4])}
    runs = []
    for line in output(["cargo", "run", "--release", "-p", "taut", "--example", "peers", "--", "P1", "P4"]).splitlines():
        if line.startswith("RESULT "):
            r = json.loads(line[7:])
            energy = r["energy"]
            runs.append({"problem": r["problem"], "cpu_ms": 1e3 * r["cpu"], "loop_m": r["viol"],
                         "energy_J": max(abs(e - energy[0]) for e in energy)})
    return {"sizes": sizes, "runs": runs}


def show_engine(figures):
    if "lines" in figures:  # from before this script
        return "\n".join(figures["lines"])
    sizes, runs = figures["sizes"], figures["runs"]
    largest = lambda kind: max((k for k in sizes if k.startswith(kind)), key=lambda k: int(k.split()[1]))
    micro = lambda k: f"{sizes[k]['ns_per_body'] / 1e3:.2f} µs per body"
    ratio = lambda kind, base: f"{sizes[largest(kind)]['ns_per_body'] / sizes[base]['ns_per_body']:.1f}"
    memory = lambda kind: f"{sizes[largest(kind)]['bytes_per_body'] / 1e3:.1f} kB"
    cost = lambda p: ", ".join(f"{r['energy_J']:.0e} J in {r['cpu_ms']:.1f} ms".replace("e-0", "e-") for r in runs if r["problem"] == p)
    count = lambda k: f"{int(k.split()[1]):,}"
    many = largest("four-bars")
    return "\n".join([
        "| | |",
        "|---|---|",
        f"| one right-hand side, open chain of 100 rigid bodies, 600 velocities, 500 rows | {micro('chain 100')} |",
        f"| one right-hand side, chain of 100 planar four-bars (201 bodies) | {micro('four-bars 201')} |",
        f"| the chain with {count(largest('chain'))} bodies | {ratio('chain', 'chain 100')} times the time per body; {memory('chain')} per body |",
        f"| the four-bars with {count(many)} bodies | {ratio('four-bars', 'four-bars 201')} times the time per body; {memory('four-bars')} per body |",
        f"| double four-bar, 10 s through ten singular poses | {cost('P1')} |",
        f"| Bricard mechanism (redundant in every pose), 10 s | {cost('P4')} |",
        f"| worst residual in both, at every output | {max(r['loop_m'] for r in runs):.0e} m |".replace("e-0", "e-"),
    ])


# ------------------------------------------------------------------ constrain: one evaluation beside the bare code
def measure_constrain(_):
    lines = output(["cargo", "run", "--release", "-p", "taut-constrain", "--example", "overhead"]).splitlines()
    return {"lines": [line for line in lines if line.startswith("|")]}


def show_constrain(figures):
    return "\n".join(figures["lines"])


# ------------------------------------------------------------------ beams: against Exudyn
BEAMS = {"spin": "beam that spins up, 20 s", "rod5": "flexible rod in free flight, 5 s", "rod10": "the same rod, 10 s"}


def measure_beams(a):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "beams.json"
        subprocess.run([a.python, "bench/beam_peers.py", "--json", str(file)], cwd=ROOT, check=True)
        return json.loads(file.read_text())


def show_beams(figures):
    lines = [f"| Taut against Exudyn {figures['exudyn']} | error below the tolerance | error below a fifth of the tolerance |", "|---|---|---|"]
    for problem, text in BEAMS.items():
        cells = []
        for limit in ("1.0", "0.2"):
            ours, theirs, ratio = figures["problems"][problem][limit]
            cells.append(f"{ours:.3g} ms against {theirs:.3g} ms: {ratio:.1f} times faster")
        lines.append(f"| {text} | {' | '.join(cells)} |")
    return "\n".join(lines)


# name: how it is measured, how it is shown, pages
TABLES = {
    "engine": (measure_engine, show_engine, ["README.md"]),
    "constrain": (measure_constrain, show_constrain, ["docs/constrain.md"]),
    "beams": (measure_beams, show_beams, ["README.md", "bench/README.md"]),
}


def filled(text, name, content):
    """The page with this table."""
    begin, end = f"<!-- table {name}: bench/tables.py -->", "<!-- end of table -->"
    if begin not in text or end not in text.split(begin, 1)[1]:
        raise SystemExit(f"a page has no `{begin}` … `{end}`")
    before, rest = text.split(begin, 1)
    return f"{before}{begin}\n\n{content}\n\n{end}{rest.split(end, 1)[1]}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", action="store_true", help="change nothing; fail if a page differs")
    p.add_argument("--measure", type=lambda s: s.split(","), default=[], metavar="NAME,...", help=", ".join(TABLES))
    p.add_argument("--python", default=sys.executable, help="the Python with numpy and exudyn")
    a = p.parse_args()
    stored = json.loads(STORED.read_text())
    for name in a.measure:
        if name not in TABLES:
            p.error(f"no table `{name}`; there are {', '.join(TABLES)}")
        # The load is that before the measurement.
        stored[name] = stamp() | TABLES[name][0](a)
        STORED.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
    differing = []
    for name, (_, show, pages) in TABLES.items():
        for page in pages:
            path = ROOT / page
            old = path.read_text()
            new = filled(old, name, f"{show(stored[name])}\n\n{origin(stored[name])}")
            if new != old:
                differing.append(f"{page}: table {name}")
                if not a.check:
                    path.write_text(new)
    for page in differing:
        print(f"{page} {'differs from bench/tables.json' if a.check else 'written'}")
    if a.check and differing:
        print("the tables are written by: python3 bench/tables.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
