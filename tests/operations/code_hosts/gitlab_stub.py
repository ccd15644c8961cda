"""A GitLab of one project, as far as its documented REST API matters to a poster."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from github_stub import HEAD, MERGE, Answer, archive, form

ME = 42


def merge(**changes: Any) -> dict[str, Any]:
    whole = {
        "iid": 3,
        "sha": HEAD,
        "state": "opened",
        "target_branch": "main",
        "source_project_id": 1,
        "target_project_id": 1,
        "head_pipeline": {"id": 8, "project_id": 1, "sha": MERGE, "source": "merge_request_event"},
    }
    return whole | changes


def note(number: int, text: str, author: int = ME) -> dict[str, Any]:
    return {"id": number, "body": text, "author": {"id": author}, "system": False}


@dataclass
class Stub:
    root: str = "https://gitlab.example/api/v4"
    merges: list[dict[str, Any]] = field(default_factory=lambda: [merge()])
    diffs: list[dict[str, str]] = field(
        default_factory=lambda: [{"old_path": "stacks/demo/checklist.yaml", "new_path": "stacks/demo/checklist.yaml"}]
    )
    notes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    statuses: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    artifact: bytes | None = field(default_factory=lambda: archive({"atoll-diff/diff.json": json.dumps(form())}))
    jobs: list[dict[str, Any]] = field(
        default_factory=lambda: [{"id": 5, "name": "atoll-cost-diff", "status": "success"}]
    )
    branches: list[str] = field(default_factory=lambda: ["main"])
    since: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    timeout: bool = False
    refused: set[str] = field(default_factory=set[str])
    logins: set[str] = field(default_factory=set[str])

    def answer(self, method: str, url: str, login: str, body: bytes | None) -> Answer:
        parts = urlsplit(url)
        self.logins.add(login)
        path = parts.path.removeprefix("/api/v4")
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if f"{method} {path}" in self.refused:
            return 403, {}, b"{}"
        sent = json.loads(body) if body else {}
        for pattern, call in self._routes(query, sent, url).items():
            if re.fullmatch(pattern, f"{method} {path}"):
                return call(path)
        return 404, {}, b"{}"

    def _routes(self, query: dict[str, str], sent: dict[str, Any], url: str) -> dict[str, Any]:
        return {
            "GET /user": lambda _: _json({"id": ME}),
            "GET /projects/1/merge_requests": lambda _: _page(self.merges, query, url),
            r"GET /projects/1/merge_requests/\d+": lambda path: _json(
                next(each for each in self.merges if each["iid"] == int(path.rsplit("/", 1)[1]))
            ),
            r"GET /projects/\d+/pipelines/8/jobs": lambda _: _page(self.jobs, query, url),
            r"GET /projects/\d+/jobs/5/artifacts": lambda _: (
                (200, {}, self.artifact) if self.artifact else (404, {}, b"")
            ),
            r"GET /projects/1/merge_requests/\d+/diffs": lambda _: _page(self.diffs, query, url),
            rf"GET /projects/1/repository/commits/{MERGE}": lambda _: _json(
                {"id": MERGE, "parent_ids": ["b" * 40, HEAD]}
            ),
            r"GET /projects/1/repository/commits/\w+/refs": lambda _: _page(
                [{"name": each} for each in self.branches], query, url
            ),
            "GET /projects/1/repository/compare": lambda _: _json(
                {"diffs": self.since, "compare_timeout": self.timeout}
            ),
            r"GET /projects/1/merge_requests/\d+/notes": lambda _: _page(self.notes, query, url),
            r"POST /projects/1/merge_requests/\d+/notes": lambda _: self._write(sent),
            r"PUT /projects/1/merge_requests/\d+/notes/\d+": lambda path: self._rewrite(path, sent),
            r"DELETE /projects/1/merge_requests/\d+/notes/\d+": self._remove,
            rf"POST /projects/1/statuses/{HEAD}": lambda _: self._status(sent),
        }

    def _write(self, sent: dict[str, Any]) -> Answer:
        self.notes.append(note(1000 + len(self.notes), sent["body"]))
        return _json(self.notes[-1])

    def _rewrite(self, path: str, sent: dict[str, Any]) -> Answer:
        found = next(each for each in self.notes if each["id"] == int(path.rsplit("/", 1)[1]))
        found.update(sent)
        return _json(found)

    def _remove(self, path: str) -> Answer:
        self.notes = [each for each in self.notes if each["id"] != int(path.rsplit("/", 1)[1])]
        return 204, {}, b""

    def _status(self, sent: dict[str, Any]) -> Answer:
        self.statuses.append(sent)
        return _json(sent)


def _page(items: list[dict[str, Any]], query: dict[str, str], url: str) -> Answer:
    size, number = min(int(query.get("per_page", 20)), 100), int(query.get("page", 1))
    bare = url.partition("?")[0]
    more = {"Link": f'<{bare}?per_page={size}&page={number + 1}>; rel="next"'} if number * size < len(items) else {}
    return 200, more, json.dumps(items[(number - 1) * size : number * size]).encode()


def _json(value: object) -> Answer:
    return 200, {}, json.dumps(value).encode()
