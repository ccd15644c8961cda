"""One quote of the demo over the catalog in the folder that the first argument names, as a whole process."""

import sys
from datetime import date
from pathlib import Path

from catalogs.catalog import load
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.quote_builder import quote

CHECKLIST = Path(__file__).parent.parent / "stacks/demo/checklist.yaml"

market = Market(load(root=Path(sys.argv[1]), stamped=False))
today = market.catalog.prices.newest or date.min
quote(read_file(CHECKLIST), checklist_digest="", stack="demo", market=market, today=today)
