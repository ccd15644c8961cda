"""`atoll`, from the first instruction on: whenever Ctrl-C comes, it ends with a sentence."""

from __future__ import annotations

import gc
import sys
from typing import Final

STOPPED: Final = 130
STOPPED_TEXT: Final = "stopped; nothing was written"
COLLECT_AFTER: Final = 200_000  # objects; collecting while modules load costs a tenth of a quote and frees nothing


def main() -> None:
    """Run the command line of this process, and exit with its code."""
    gc.set_threshold(COLLECT_AFTER)
    try:
        from driver.cli import run  # noqa: PLC0415 - under the roof that catches Ctrl-C

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        print(STOPPED_TEXT, file=sys.stderr)
        code = STOPPED
    sys.exit(code)


if __name__ == "__main__":
    main()
