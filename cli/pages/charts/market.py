"""What 1000 TFLOPS cost for an hour: every machine on sale as a dot, each option's pools below them."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Final

from cli.pages.charts import axes
from cli.terminal.amounts import usd
from cli.views.quote.options import letter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from markupsafe import Markup

    from catalogs.model import Provider
    from planning.quoting.price_performance import MarketRank, PoolMarketRank, Worth

LEFT: Final = 14
RIGHT: Final = 16
TOP: Final = 8
CLOUD: Final = 72  # a row of the market
ROW: Final = 50  # a row of one pool
BOTTOM: Final = 56
BIG_THREE: Final = "big_three"
TICKS: Final = tuple(round(grade * 10.0**power, 4) for power in range(-3, 7) for grade in (1, 2, 5))
LETTER: Final = 7.4  # pixels of a letter that is not bold
AWAY: Final = 18  # from a marker to its words
STEPS: Final = 5  # heights at which the dots of a row stand, so that they cover each other less


class Axis:
    """USD to pixels, each step to the right as many times as much."""

    def __init__(self, amounts: Sequence[Decimal]) -> None:
        low, high = min(amounts, default=1), max(amounts, default=1)
        first = max((at for at, tick in enumerate(TICKS[:-1]) if tick <= low), default=0)
        last = min((at for at, tick in enumerate(TICKS) if tick >= high), default=len(TICKS) - 1)
        self.ticks = TICKS[first : max(last, first + 1) + 1]
        self._least = log10(self.ticks[0])
        self._pixels = (axes.WIDTH - LEFT - RIGHT) / (log10(self.ticks[-1]) - self._least)

    def at(self, amount: Decimal | float) -> float:
        """Pixel of an amount."""
        # A logarithm has no place for 0: what costs nothing stands at the least.
        return LEFT + self._pixels * (log10(max(amount, self.ticks[0])) - self._least)


def market_chart(standing: MarketRank, providers: Mapping[str, Provider]) -> Markup:
    amounts = [each.usd_per_1000_tflops_hour for each in standing.machines] + [each.usd for each in standing.pools]
    axis = Axis([each for each in amounts if each > 0])
    big = [each for each in standing.machines if providers[each.provider].tier == BIG_THREE]
    other = [each for each in standing.machines if providers[each.provider].tier != BIG_THREE]
    clouds = [
        row
        for row in (("AWS, Google Cloud and Azure, on demand", big), ("other providers, on demand", other))
        if row[1]
    ]
    below = TOP + CLOUD * len(clouds)
    bottom = below + ROW * len(standing.pools)
    return axes.drawing(
        f"market-{standing.precision}",
        *_grid(axis, bottom=bottom),
        *(part for at, (name, row) in enumerate(clouds) for part in _cloud(name, row, axis, y=TOP + CLOUD * at)),
        *(part for at, pool in enumerate(standing.pools) for part in _pool(pool, axis, y=below + ROW * at)),
        title=f"USD an hour for 1000 TFLOPS of {standing.precision}, pools of the options against machines on sale",
        description="; ".join(_describe_pool_rank(pool, standing) for pool in standing.pools),
        height=bottom + BOTTOM,
    )


def _describe_pool_rank(pool: PoolMarketRank, standing: MarketRank) -> str:
    cheaper = f"{pool.cheaper} of {len(standing.machines)} machines are cheaper"
    return f"{letter(pool.at)} {pool.pool}: {usd(pool.usd)} USD, {cheaper}"


def _grid(axis: Axis, *, bottom: int) -> Iterator[Markup]:
    for tick in axis.ticks:
        x = axis.at(tick)
        yield axes.element("line", x1=x, x2=x, y1=TOP, y2=bottom, class_="grid")
        yield axes.text(f"{tick:g}", x=x, y=bottom + 20, class_="tick")
    yield axes.text(
        "USD an hour for 1000 TFLOPS; not in even steps",
        x=axes.WIDTH / 2,
        y=bottom + 44,
        class_="tick unit",
    )


def _cloud(name: str, machines: Sequence[Worth], axis: Axis, *, y: int) -> Iterator[Markup]:
    yield axes.text(name, x=LEFT, y=y + 18, class_="where")
    for at, each in enumerate(machines):
        machine = f"{each.provider} {each.machine}, {each.accelerator}, {each.region}"
        said = f"{machine}: {usd(each.usd_per_1000_tflops_hour)} USD"
        height = y + 34 + 7 * (at % STEPS)
        dot = axes.element("circle", cx=axis.at(each.usd_per_1000_tflops_hour), cy=height, r=3.2, class_="dot")
        yield axes.with_hover(said, dot)


def _pool(pool: PoolMarketRank, axis: Axis, *, y: int) -> Iterator[Markup]:
    x = axis.at(pool.usd)
    said = f"{pool.pool}: {usd(pool.usd)}"
    more = axes.element("tspan", axes.escape_text(f", {pool.accelerator}, {pool.purchase}"), class_="where")
    yield axes.element("line", x1=LEFT, x2=axes.WIDTH - RIGHT, y1=y + 25, y2=y + 25, class_="grid")
    yield axes.marker(letter(pool.at), x=x, y=y + 25, hover=f"{letter(pool.at)} {pool.pool}: {usd(pool.usd)} USD")
    wide = axes.BOLD_LETTER * len(said) + LETTER * len(f", {pool.accelerator}, {pool.purchase}")
    fits_right, fits_left = x + AWAY + wide <= axes.WIDTH, x - AWAY - wide >= 0
    if not fits_right and not fits_left:  # over the line, from its beginning
        yield axes.element("text", axes.escape_text(said), more, x=LEFT, y=y + 8, class_="amount")
        return
    is_left = fits_left and (x > axes.WIDTH / 2 or not fits_right)
    side, place = ("amount end", x - AWAY) if is_left else ("amount", x + AWAY)
    yield axes.element("text", axes.escape_text(said), more, x=place, y=y + 30, class_=side)
