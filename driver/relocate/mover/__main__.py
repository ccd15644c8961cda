"""python -m driver.relocate.mover SPEC; in a pod this file stands at the top too, where Python starts a folder."""

from __future__ import annotations

import sys

from driver.relocate.mover.job import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
