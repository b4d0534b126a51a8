"""`python -m taut` is the command `taut`."""

import sys

from ._command import main

sys.exit(main())
