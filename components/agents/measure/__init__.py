"""The programs that measure. They run in pods whose image has the tools. Standard library only, Python 3.10 or later.

Each prints one JSON line per check, a `planning.agents.measurement_records.MeasurementRecord`, and the same to the
pod's termination message as far as it fits. Each ends with 0 where it measured, however slow that was and whatever the
tools found wrong, with 3 where a check could not be measured (the others are printed all the same), and with 2 for
wrong arguments.

    node      --placement P --pool POOL --node NAME --accelerators N
              [--checks inventory,usable_memory,dcgm,matmul,nvlink] [--level 3] [--precision bf16]
              [--shapes 8192x8192x8192,...] [--least BYTES] [--most BYTES] [--seconds S]
    burn_in   as node, and --hours H: rounds of the checks until they are over, the worst of each printed at the end
    fabric    --placement P --pool POOL --nodes N --accelerators A [--on NODE,...] [--seconds S] -- COMMAND...
              where the command prints what nccl-tests prints: mpirun ... all_reduce_perf ...
    storage   --placement P --tier TIER --node NAME --nodes N --folder PATH
              [--checks loader,checkpoint,code,small_files] [--seconds S] [--size-mb MB] [--jobs J] [--files F]
    network   --placement P --check dns|egress|peering --to NAME or HOST:PORT,... [--seconds S]

`FILES` names what a pod needs: name of the module to its path under a folder that stands in PYTHONPATH.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

PACKAGE: Final = __name__
MODULES: Final = tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__"))
FILES: Final = {f"{name}.py": f"{PACKAGE.replace('.', '/')}/{name}.py" for name in MODULES}
