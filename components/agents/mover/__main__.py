"""python -m components.agents.mover SPEC; in a pod this file stands at the top too, where Python starts a folder."""

from __future__ import annotations

import sys

from components.agents.mover.job import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
