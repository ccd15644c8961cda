"""The way out of a cluster where nobody said which, and what the bill says of it."""

from __future__ import annotations

import pytest
from moving_kit import bucket, move

from planning.relocation.costs.route import Route, usual_exit


def test_through_nat_the_bill_says_what_that_costs_and_who_need_not_pay_it() -> None:
    (note,) = [each for each in move(bucket(50), leaves_by="nat").notes if "gateway endpoint" in each.text]
    assert "2,250.00 USD of this bill" in note.text
    assert "--through direct" in note.text
    assert "vpc-endpoints-s3" in note.source


@pytest.mark.parametrize(
    ("home", "built", "to", "way"),
    [
        (("aws", "us-east-1"), "aws", ("aws", "us-east-1"), "gateway_endpoint"),
        (("aws", "us-east-1"), "aws", ("aws", "us-west-2"), "nat"),
        (("aws", "us-east-1"), "aws", ("gcp", "us-central1"), "nat"),
        (("gcp", "us-central1"), "gcp", ("gcp", "europe-west4"), "gateway_endpoint"),
        (("gcp", "us-central1"), "gcp", ("aws", "us-east-1"), "nat"),
        (("lambda", "us-east-1"), "existing", ("aws", "us-east-1"), "direct"),
    ],
)
def test_where_nobody_said_the_way_is_the_dear_one_that_pods_have(
    home: tuple[str, str], built: str, to: tuple[str, str], way: str
) -> None:
    route = Route(provider=home[0], region=home[1], to_provider=to[0], to_region=to[1])
    assert usual_exit(route, built=built) == way
