from __future__ import annotations

import pytest

from components.agents.mover.store import responses
from components.agents.mover.store.model import BucketEndpoint, StoreError
from components.agents.mover.store.responses import Refusal

RAN_OUT = "the temporary keys ran out: get new ones and run it again, it goes on where it stopped"


def place(*, token: str) -> BucketEndpoint:
    return BucketEndpoint(
        endpoint="http://s", region="r", bucket="b", access_key="a", secret_key="key", session_token=token
    )


@pytest.mark.parametrize("code", ["AccessDenied", "ExpiredToken", "InvalidAccessKeyId", "InvalidTokenId"])
def test_temporary_keys_that_are_refused_may_have_run_out_and_others_may_not(code: str) -> None:
    found = Refusal(code=code, message="no")
    temporary = responses.error(place(token="token"), "GET of b/k", found, 403)
    assert RAN_OUT in str(temporary)
    assert (RAN_OUT in str(responses.error(place(token=""), "GET of b/k", found, 403))) is (code == "ExpiredToken")


@pytest.mark.parametrize("code", ["ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "InvalidTokenId"])
def test_keys_that_ran_out_end_the_round_and_are_not_asked_for_each_object(code: str) -> None:
    assert responses.is_fatal(StoreError("no", code=code, status=403))
    assert not responses.is_transient(Refusal(code=code, message=""), 503)
