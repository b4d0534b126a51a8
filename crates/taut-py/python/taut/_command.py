"""The command `taut`."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command with the arguments of this process."""
    import signal

    from . import _taut

    # The command has its own handler: the first Ctrl-C stops a run in order, the second ends it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return int(_taut.main(["taut", *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
