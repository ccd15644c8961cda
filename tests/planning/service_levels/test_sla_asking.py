"""Who is asked, and who must not hear of it."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
import requests

from operations.service_levels.prometheus import AskingError, open_session


class Session:
    """One that fails as it is told to."""

    made: ClassVar[list[Session]] = []
    error: type[requests.RequestException] = requests.exceptions.SSLError

    def __init__(self) -> None:
        self.trust_env = True
        self.auth: Any = None
        self.asked = 0
        self.made.append(self)

    def get(self, url: str, **_: Any) -> None:
        self.asked += 1
        raise self.error(url)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> type[Session]:
    monkeypatch.setattr(requests, "Session", Session)
    monkeypatch.setattr(Session, "made", [])
    return Session


def test_a_certificate_that_nobody_trusts_is_said_at_once(session: type[Session]) -> None:
    with pytest.raises(AskingError, match="SSLError") as told:
        open_session("", sleep=lambda _: None)("https://prometheus.example/x", {})
    assert "REQUESTS_CA_BUNDLE" in told.value.hint
    assert (session.made[0].asked, session.made[0].trust_env) == (1, True)


def test_no_proxy_of_the_environment_sees_what_goes_to_this_machine(
    session: type[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "error", requests.exceptions.ConnectionError)
    with pytest.raises(AskingError, match="ConnectionError"):
        open_session("secret", sleep=lambda _: None)("http://127.0.0.1:9090/x", {})
    assert (session.made[0].asked, session.made[0].trust_env) == (3, False)
