#!/usr/bin/env bash
# All checks: format, lints, documentation, tests. With arguments, only the tests, with the arguments passed on to `cargo test`.
# What they need beside Rust (Python 3.10 or later with venv; Node for the page, Chromium to open it, gcc, g++ and gfortran for the examples of taut-c, valgrind for the instruction counts) is installed where it is missing and the
# system is Debian's or alike; elsewhere: install both, or leave the browser out with TAUT_BROWSER=none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

missing=()
command -v npm > /dev/null || missing+=(nodejs npm)
python3 -c "import venv, ensurepip" > /dev/null 2>&1 || missing+=(python3 python3-venv)
for compiler in gcc g++ gfortran; do
    command -v "$compiler" > /dev/null || missing+=("$compiler")
done
# Without it the instruction counts are skipped.
command -v valgrind > /dev/null || ! command -v apt-get > /dev/null || missing+=(valgrind)
if [ "${TAUT_BROWSER:-}" != none ] && [ -z "${TAUT_CHROMIUM:-}" ] && [ ! -x /usr/bin/chromium ] &&
    [ ! -x /usr/bin/chromium-browser ] && [ ! -x /usr/bin/google-chrome ]; then
    missing+=(chromium)
fi
if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get > /dev/null; then
        echo "not found: ${missing[*]}; install them, or set TAUT_BROWSER=none to leave the browser out" >&2
        exit 1
    fi
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

if [ "$#" -gt 0 ]; then
    exec cargo test --workspace "$@"
fi

for tool in fmt clippy; do
    if ! cargo "$tool" --version > /dev/null 2>&1; then
        echo "cargo $tool is not installed; install it with: rustup component add rustfmt clippy" >&2
        exit 1
    fi
done

gate() {
    local start=$SECONDS
    echo "== $1" >&2
    "${@:2}"
    echo "== $1: $((SECONDS - start)) s" >&2
}
# A full run compiles everything once; data for later changes would only cost time and space.
export CARGO_INCREMENTAL=0
gate "format" cargo fmt --check
gate "tables" python3 bench/tables.py --check
gate "lints" cargo clippy --workspace --all-targets -- -D warnings
gate "without features" cargo clippy -p taut-cli --no-default-features -- -D warnings
gate "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
gate "tests" cargo test --workspace
gate "instruction counts" python3 bench/instructions.py
gate "Python" env TAUT_PY_BUILD="--workspace --lib --tests" crates/taut-py/test.sh
