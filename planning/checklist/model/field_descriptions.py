"""What each field is for, read from the text below it in the model's source.

pydantic can do this for every class as it is defined, but then each command pays for it, and only hints, the schema
and the reference page ever ask.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache


@cache
def meanings(model: type) -> dict[str, str]:
    """Field name to its meaning, inherited fields included; empty where no source is installed."""
    found: dict[str, str] = {}
    for ancestor in reversed(model.__mro__):
        if ancestor.__module__.startswith(__package__ or ""):
            found |= _of_module(ancestor.__module__).get(ancestor.__name__, {})
    return found


@cache
def _of_module(module: str) -> dict[str, dict[str, str]]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except OSError:  # pragma: no cover - installed without sources
        return {}
    return {node.name: _of_class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _of_class(node: ast.ClassDef) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = inspect.cleandoc(text)
            case _:
                continue
    return found
