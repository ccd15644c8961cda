"""Whose outputs these are: the program says its stack's name among them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

STACK: Final = "stack"  # the output; programs of before do not have it
LONGEST_SHOWN: Final = 80  # characters of another name that a message repeats


def of_another(outputs: Mapping[str, object], *, stack: str) -> str:
    """That outputs are of another stack, in words with both names; "" where they are of this one, or do not say."""
    said = outputs.get(STACK)
    if said is None or said == stack:
        return ""
    name = said if isinstance(said, str) else json.dumps(said)
    return f'these are the outputs of the stack "{name[:LONGEST_SHOWN]}", and this is "{stack}"'
