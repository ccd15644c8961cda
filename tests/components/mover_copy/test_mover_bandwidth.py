from __future__ import annotations

from types import SimpleNamespace

import pytest

from components.agents.mover import worker_pool


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(worker_pool, "time", SimpleNamespace(monotonic=lambda: self.now, sleep=self.sleep))

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_no_more_is_taken_than_was_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    limit = worker_pool.Bandwidth(10)
    for _ in range(100):
        limit.take(2**20)
    assert clock.now == pytest.approx(10.0)


def test_a_pause_does_not_save_up_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    limit = worker_pool.Bandwidth(10)
    clock.now = 3600.0
    for _ in range(100):
        limit.take(2**20)
    assert clock.now - 3600.0 == pytest.approx(10.0 - worker_pool.BURST_SECONDS)


def test_without_a_limit_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    worker_pool.Bandwidth(None).take(2**40)
    assert clock.now == 0.0
