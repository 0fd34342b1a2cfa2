"""``python -m rr_gym`` is ``rr-gym``."""

import sys

from rr_gym.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
