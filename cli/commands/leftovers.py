"""`atoll leftovers`: what the clouds of a stack still have of it, and what that costs."""

from typing import TYPE_CHECKING

from cli.terminal import options
from cli.terminal.console import progress
from cli.terminal.output import deliver
from cli.views.orphans import leftovers_parts
from operations.clouds.registry import leftovers_of
from operations.plans.price_book import price_book
from operations.project.accepted_lock import own_lock
from operations.project.stack_config import read_config
from operations.project.workspace import known_stack
from planning.cloud_checks.orphans_form import leftovers_form
from planning.values.errors import CannotTellError, InputError

if TYPE_CHECKING:
    from planning.cloud_checks.orphans import Leftovers


def run_leftovers(
    stack: options.Stack,
    *,
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """List what is still there by the stack's tag, with its price; data that is kept on purpose stands apart.

    Exit code: 0 where nothing that costs was forgotten, 1 where something was, 11 where a cloud did not answer.
    """
    project = known_stack(stack)
    lock = own_lock(project, stack)
    config = read_config(project.stack_config(stack)).values
    catalog = price_book(prices, own=own, today=options.day(""))
    with progress(f"asking the clouds of {stack}"):
        left = leftovers_of(lock, catalog=catalog, config=config)
    deliver(leftovers_form(left), as_json=as_json, output=output, parts=lambda: leftovers_parts(left))
    return _exit_code(left)


def _exit_code(left: "Leftovers") -> int:
    if left.forgotten:
        return InputError.exit_code
    return CannotTellError.exit_code if left.unanswered else 0
