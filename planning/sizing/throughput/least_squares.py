"""Small systems of linear equations, solved in the standard library: a few unknowns, fitted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Vector = Sequence[float]


def solve_equations(matrix: Sequence[Vector], moments: Vector) -> list[float]:
    lines = [[*line, moment] for line, moment in zip(matrix, moments, strict=True)]
    for at in range(len(lines)):
        best = max(range(at, len(lines)), key=lambda line: abs(lines[line][at]))
        lines[at], lines[best] = lines[best], lines[at]
        pivot = lines[at]
        for other, line in enumerate(lines):
            if other != at and line[at]:
                factor = line[at] / pivot[at]
                lines[other] = [cell - factor * above for cell, above in zip(line, pivot, strict=True)]
    return [line[-1] / line[at] for at, line in enumerate(lines)]


def dot_product(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
