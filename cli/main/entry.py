"""`atoll`, from the first instruction on: whenever Ctrl-C comes, it ends with a sentence."""

from __future__ import annotations

import gc
import signal
import sys
from typing import Final

from cli.main.interrupts import STOPPED, STOPPED_TEXT, quit_at_once

COLLECT_AFTER: Final = 200_000  # objects; collecting while modules load costs a tenth of a quote and frees nothing


def main() -> None:
    gc.set_threshold(COLLECT_AFTER)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, quit_at_once)
    try:
        from cli.main.application import run  # noqa: PLC0415 - under the roof that catches Ctrl-C

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        print(STOPPED_TEXT, file=sys.stderr)
        code = STOPPED
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is given; the interpreter's end would show a traceback
    gc.disable()
    gc.freeze()  # else the interpreter, as it ends, looks for cycles in all that the SDKs hold: a fifth of a plan
    sys.exit(code)


if __name__ == "__main__":
    main()
