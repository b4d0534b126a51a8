#!/usr/bin/env python3
"""Writes docs/validation.md: every model with expected values, run by the command, with the digits it gives.

    python3 checks/validation.py [TAUT]        default: target/release/taut

The expected values and their sources are those of the `[[expect]]` tables; the tests compare them with a tolerance. This page shows
the numbers themselves. Rows that only ask for a balance or a residual near zero are left out.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SELF_CHECKS = ("energy.", "residual.", "rank", "step")

HEAD = """# Validation

Every model that comes with Taut states what its results must be, and where these values come from: a closed form, a publication, another
program, or an independent integration. None comes from Taut itself. The test suite runs all of them. This page shows the values and the digits
that Taut computes; `checks/validation.py` writes it. [The papers](papers.md) has the numbers of the five papers.

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
    args = [taut, "run", str(model), "--json", "-o", str(folder / "run"), "--force"]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{model}: {done.stderr}")


def main():
    taut = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/taut")
    page, count, met = [], 0, 0
    for model in sorted((ROOT / "models").rglob("*.toml")):
        name = model.relative_to(ROOT / "models")
        text = model.read_text()
        data = tomllib.loads(text)
        expected = [e for e in data.get("expect", []) if not e["column"].startswith(SELF_CHECKS)]
        if "parts" in name.parts or not expected or name.parts[0] == "statics":
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = run(taut, model, pathlib.Path(folder))
        rows = [(e, r) for e, r in zip(data["expect"], result["expected"], strict=True) if not e["column"].startswith(SELF_CHECKS)]
        page.append(f"\n## {data.get('title', name.stem)}\n\n`{name}`. Source: {cell(header(text, 'Source'))}\n")
        page.append("\n| column | at | expected | computed | difference | tolerance | from |\n|---|---|---|---|---|---|---|\n")
        for asked, result in rows:
            at = asked.get("time", asked.get("statistic"))
            at = f"{at:g} s" if isinstance(at, (int, float)) else at
            value, found = result["value"], result["found"]
            count += 1
            met += result["verdict"] == "met"
            page.append(
                f"| `{asked['column']}` | {at} | {value:.12g} | {found:.12g} | {abs(found - value):.1e} "
                f"| {result['tolerance']:.0e} | {cell(asked.get('source', ''))} |\n"
            )
    summary = f"{met} of {count} values are met within their tolerance.\n"
    (ROOT / "docs/validation.md").write_text(HEAD + summary + "".join(page))
    print(summary, end="")


if __name__ == "__main__":
    main()
