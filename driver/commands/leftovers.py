"""`atoll leftovers`: what the clouds of a stack still have of it, and what that costs."""

from typing import TYPE_CHECKING

from driver import arguments
from driver.accepted_lock import own_lock
from driver.cloud.registry import leftovers_of
from driver.offline.stack_config import read_config
from driver.output_files import deliver
from driver.prices import price_book
from driver.project import known_stack
from driver.render.leftovers import leftovers_parts
from driver.screen import progress
from planning.errors import CannotTellError, InputError
from planning.leftovers_form import leftovers_form

if TYPE_CHECKING:
    from planning.leftovers import Leftovers


def run_leftovers(
    stack: arguments.Stack,
    *,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
) -> int:
    """List what is still there by the stack's tag, with its price; data that is kept on purpose stands apart.

    Exit code: 0 where nothing that costs was forgotten, 1 where something was, 11 where a cloud did not answer.
    """
    project = known_stack(stack)
    lock = own_lock(project, stack)
    config = read_config(project.stack_config(stack)).values
    catalog = price_book(prices, own=own, today=arguments.day(""))
    with progress(f"asking the clouds of {stack}"):
        left = leftovers_of(lock, catalog=catalog, config=config)
    deliver(leftovers_form(left), as_json=as_json, output=output, parts=lambda: leftovers_parts(left))
    return _exit_code(left)


def _exit_code(left: "Leftovers") -> int:
    if left.forgotten:
        return InputError.exit_code
    return CannotTellError.exit_code if left.unanswered else 0
