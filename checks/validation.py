#!/usr/bin/env python3
"""Writes docs/validation.md: every model with expected values, run by the command, with the digits it gives.

    python3 checks/validation.py [TAUT]        default: target/release/taut
    python3 checks/validation.py TAUT air      only models with `air` in their name; the other sections stay as they are

The expected values and their sources are those of the `[[expect]]` tables; the tests compare them with a tolerance. This page shows
the numbers themselves. Rows that only ask for a balance or a residual near zero are left out.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Options of `taut static` for the models of equilibria.
STATIC = {
    "catenary": [],
    "column": ["--arc-length", "--first", "0.3", "--branch", "0.05"],
    "elastica": ["--load-steps", "4"],
    "four_bar": ["--load-steps", "3"],
}
SELF_CHECKS = ("energy.", "residual.", "rank", "step")

HEAD = """# Validation

Every model that comes with Taut states what its results must be, and where these values come from: a closed form, a publication, another
program, or an independent integration. None comes from Taut itself. The test suite runs all of them. This page shows the values and the digits
that Taut computes; `checks/validation.py` writes it. [The papers](papers.md) has the numbers of the five papers. Analyses other than runs and
equilibria have a table of their own: [modes](modes.md#validation), [periodic motions](periodic.md#validation), [air](air.md#validation).

"""


def header(text, word):
    """The text of a header comment such as `# Source:`, with its continuation lines."""
    lines, found = text.splitlines(), []
    for line in lines:
        if line.startswith(f"# {word}:"):
            found.append(line.split(":", 1)[1].strip())
        elif found and line.startswith("#   "):
            found.append(line[1:].strip())
        elif found:
            break
    return " ".join(found)


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def run(taut, model, folder):
    """The expected values of a model with what a run gives."""
    args = [taut, "run", str(model), "--json", "-o", str(folder / "run"), "--force"]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["expected"]
    except json.JSONDecodeError:
        sys.exit(f"{model}: {done.stderr}")


def rest(taut, model, folder, expected):
    """The same with the last point of a path of equilibria."""
    args = [taut, "static", str(model), "-o", str(folder / "run"), *STATIC[model.stem]]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{model}: {done.stderr}")
    with open(folder / "run/table.csv", newline="") as table:
        last = list(csv.DictReader(table))[-1]
    rows = []
    for e in expected:
        found = float(last[e["column"]])
        met = "met" if abs(found - e["value"]) <= e["tolerance"] else "missed"
        rows.append({"value": e["value"], "found": found, "tolerance": e["tolerance"], "verdict": met})
    return rows


def section(taut, model, name, text, data, expected):
    """The part of the page about one model."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        results = rest(taut, model, folder, data["expect"]) if name.parts[0] == "statics" else run(taut, model, folder)
    part = f"\n## {data.get('title', name.stem)}\n\n`{name}`. Source: {cell(header(text, 'Source'))}\n"
    part += "\n| column | at | expected | computed | difference | tolerance | from |\n|---|---|---|---|---|---|---|\n"
    for entry, result in zip(data["expect"], results, strict=True):
        if entry not in expected:
            continue
        at = entry.get("time", entry.get("statistic"))
        at = f"{at:g} s" if isinstance(at, (int, float)) else at
        value, found = result["value"], result["found"]
        missed = "" if result["verdict"] == "met" else " **missed**"
        part += (
            f"| `{entry['column']}` | {at} | {value:.12g} | {found:.12g} | {abs(found - value):.1e}{missed} "
            f"| {result['tolerance']:.0e} | {cell(entry.get('source', ''))} |\n"
        )
    return part


def main():
    taut = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/taut")
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    page = ROOT / "docs/validation.md"
    old = re.split(r"(?m)^(?=## )", page.read_text())[1:] if only else []
    kept = {part.split("`")[1]: "\n" + part.rstrip("\n") + "\n" for part in old}
    parts = []
    for model in sorted((ROOT / "models").rglob("*.toml")):
        name = model.relative_to(ROOT / "models")
        text = model.read_text()
        data = tomllib.loads(text)
        expected = [e for e in data.get("expect", []) if not e["column"].startswith(SELF_CHECKS)]
        if "parts" in name.parts or not expected:
            continue
        if only not in str(name) and str(name) in kept:
            parts.append(kept[str(name)])
        else:
            parts.append(section(taut, model, name, text, data, expected))
    values = [line for part in parts for line in part.splitlines() if line.startswith("| `")]
    missed = sum("**missed**" in line for line in values)
    summary = f"{len(values) - missed} of {len(values)} values are met within their tolerance.\n"
    page.write_text(HEAD + summary + "".join(parts))
    print(summary, end="")


if __name__ == "__main__":
    main()
