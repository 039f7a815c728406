"""``python -m opdiff``."""

import sys

from opdiff.cli import main

if __name__ == "__main__":
    sys.exit(main())
