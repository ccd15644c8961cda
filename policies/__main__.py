"""What an engine starts: `pulumi preview --policy-pack policies`. Nothing may be printed before it answers."""

import os
from pathlib import Path

from policies.pack.engine_adapter import serve

PROJECT = Path(__file__).absolute().parents[1]
os.chdir(PROJECT)  # an engine starts it in the folder of the pack
serve(PROJECT)
