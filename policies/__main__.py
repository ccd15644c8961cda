"""Entry point for the engine: `pulumi preview --policy-pack policies`."""

import os
from pathlib import Path

from policies.pack.engine_adapter import serve

PROJECT = Path(__file__).absolute().parents[1]
os.chdir(PROJECT)  # an engine starts it in the folder of the pack
# Nothing may be printed before it: the engine reads the port from the first line.
serve(PROJECT)
