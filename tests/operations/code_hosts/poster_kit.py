"""A poster in front of a stub, and what it posted."""

from __future__ import annotations

import json
from typing import Any

from github_stub import REPOSITORY, InProcess, Stub, archive, event

from cli.pages.diff.markdown import render_comment
from operations.code_hosts.api import CodeHostApi
from operations.code_hosts.github import BOT, HEADERS, RUN_EVENT, GitHub
from operations.code_hosts.github_report import Posted, post
from operations.project.http import HttpSession

TOKEN = "a token that nobody may see"


def api(stub: Any, *, headers: dict[str, str] | None = None, naps: list[float] | None = None) -> CodeHostApi:
    slept = naps if naps is not None else []
    session = HttpSession(token=TOKEN, headers=headers, sleep=slept.append)
    session.connections.mount("https://", InProcess(stub))
    return CodeHostApi(root=stub.root, session=session)


def github(stub: Stub, *, naps: list[float] | None = None) -> GitHub:
    return GitHub(api=api(stub, headers=HEADERS, naps=naps), repository=REPOSITORY, bot=BOT)


def posted(stub: Stub, **run: Any) -> Posted:
    return post(RUN_EVENT.validate_json(json.dumps(event(**run))), github=github(stub), render=render_comment)


def left(whole: object) -> bytes:
    """The archive of a run that left this as its diff."""
    return archive({"diff.json": json.dumps(whole), "comment.md": "hello", "exit_code": "0\n"})
