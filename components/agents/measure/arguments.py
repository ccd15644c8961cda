"""Arguments of the programs; wrong ones end a program with 2, as argparse does."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MEASURED: Final = 0
COULD_NOT: Final = 3


def parser(about: str) -> argparse.ArgumentParser:
    """A parser that knows where the pod is."""
    found = argparse.ArgumentParser(description=about, allow_abbrev=False)
    found.add_argument("--placement", required=True, help="name of the placement in the lock")
    return found


def words(text: str) -> tuple[str, ...]:
    """Words at commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def one_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Words at commas, all of them known."""

    def read(text: str) -> tuple[str, ...]:
        found = words(text)
        strange = [word for word in found if word not in known]
        if strange or not found:
            raise argparse.ArgumentTypeError(f"{', '.join(strange) or 'nothing'}: there are {', '.join(known)}")
        return found

    return read


def shapes(text: str) -> tuple[tuple[int, int, int], ...]:
    """Matrices "MxNxK" at commas."""
    found: list[tuple[int, int, int]] = []
    for word in words(text):
        sizes = [int(size) for size in word.split("x") if size.isascii() and size.isdecimal() and int(size)]
        if len(sizes) != 3 or word.count("x") != 2:  # noqa: PLR2004 - M, N and K
            raise argparse.ArgumentTypeError(f"{word!r} is no shape: write MxNxK")
        found.append((sizes[0], sizes[1], sizes[2]))
    if not found:
        raise argparse.ArgumentTypeError("no shape is given")
    return tuple(found)


def positive(text: str) -> int:
    """A whole number above zero."""
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above zero")
    return int(text)


def above_zero(text: str) -> float:
    """A number above zero: seconds, hours."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above zero")
    return value
