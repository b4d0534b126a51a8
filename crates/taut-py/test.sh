#!/usr/bin/env bash
# Tests of the Python package: its extension is built with the profile of the other tests, then pytest, doctests and mypy run in a virtual
# environment under target/. Arguments are passed on to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
venv="$target/python-venv"
package="$target/python-package"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r crates/taut-py/tests/requirements.txt

# In the full run, the units of `cargo test --workspace` are used again; alone, nothing but the package is built.
# shellcheck disable=SC2086
cargo build ${TAUT_PY_BUILD:---package taut-py}
rm -rf "$package"
mkdir -p "$package"
cp -r crates/taut-py/python/taut "$package/taut"
cp "$target/debug/lib_taut.so" "$package/taut/_taut.abi3.so"

export PYTHONPATH="$package" MPLBACKEND=agg
if [ "$#" -gt 0 ]; then
    exec "$venv/bin/python" -m pytest "$@"
fi
"$venv/bin/python" -m mypy --config-file pyproject.toml
"$venv/bin/python" -m mypy.stubtest --concise --mypy-config-file pyproject.toml taut._taut
"$venv/bin/python" -m pytest -q crates/taut-py/tests
"$venv/bin/python" -m pytest -q --doctest-modules "$package/taut" --ignore="$package/taut/__main__.py"
