from __future__ import annotations

from dataclasses import replace

import pytest

from operations.relocation.databases.row_checksums import Sums, TableSum, differences, remarks

HERE = Sums(
    server=15,
    encoding="UTF8",
    collation="C",
    ctype="C",
    tables={"public.runs": TableSum(rows=3, sum=-7), "public.tags": TableSum(rows=0, sum=0)},
    sequences={"public.ids": 41},
    extensions={"plpgsql": "1.0", "pgcrypto": "1.3"},
    shape=("public.runs.id integer", "index public.runs_pkey"),
)


def test_equal_databases_have_no_difference() -> None:
    assert differences(HERE, replace(HERE)) == []
    assert remarks(HERE, replace(HERE)) == []
    assert HERE.rows == 3


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (
            replace(HERE, tables={**HERE.tables, "public.runs": TableSum(rows=3, sum=-8)}),
            "table public.runs: 3 rows, sum -7 at the source, 3 rows, sum -8 at the target",
        ),
        (
            replace(HERE, tables={"public.runs": TableSum(rows=3, sum=-7)}),
            "table public.tags: 0 rows, sum 0 at the source, not there at the target",
        ),
        (replace(HERE, sequences={"public.ids": None}), "sequence public.ids: 41 at the source, None at the target"),
        (replace(HERE, sequences={}), "sequence public.ids: 41 at the source, not there at the target"),
        (replace(HERE, extensions={"plpgsql": "1.0"}), "extension pgcrypto is not at the target"),
        (replace(HERE, shape=HERE.shape[:1]), "at the source only: index public.runs_pkey"),
        (replace(HERE, shape=(*HERE.shape, "view public.v")), "at the target only: view public.v"),
        (replace(HERE, large=2), "large objects: 0 at the source, 2 at the target"),
    ],
)
def test_each_difference_is_named(there: Sums, said: str) -> None:
    assert differences(HERE, there) == [said]


def test_what_may_differ_is_remarked() -> None:
    there = replace(
        HERE, server=17, encoding="LATIN1", collation="de_DE", extensions={"plpgsql": "1.0", "pgcrypto": "1.4"}
    )
    assert differences(HERE, there) == []
    assert remarks(HERE, there) == [
        "server's major version: 15 at the source, 17 at the target",
        "encoding: UTF8 at the source, LATIN1 at the target",
        "collation: C at the source, de_DE at the target",
        "version of extension pgcrypto: 1.3 at the source, 1.4 at the target",
    ]
