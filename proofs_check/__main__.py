"""``python -m proofs_check`` is the same as the command ``proofs-check``."""

import sys

from proofs_check.cli import main

if __name__ == "__main__":
    sys.exit(main())
