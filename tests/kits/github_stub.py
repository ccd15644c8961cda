"""A GitHub of one repository, as far as a poster meets its REST API: pages, rights, redirects, faults."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

REPOSITORY: Final = "island/lagoon"
FORK: Final = "stranger/lagoon"
BOT: Final = {"login": "github-actions[bot]", "type": "Bot"}
HEAD: Final = "a" * 40
BASE: Final = "b" * 40
MERGE: Final = "c" * 40
STORE: Final = "https://store.example"
Answer = tuple[int, dict[str, str], bytes]


def archive(files: Mapping[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return packed.getvalue()


def money(amount: str) -> dict[str, str]:
    return {"min": amount, "expected": amount, "max": amount}


def form(**changes: Any) -> dict[str, Any]:
    """A sound diff of no stack between the merge commit and its base."""
    ref = {"ref": "", "prices": "2026-11", "prices_digest": "sha256:0", "prices_as_of": "2026-11-01"}
    whole = {
        "schema_version": 1,
        "base": {**ref, "commit": BASE},
        "head": {**ref, "commit": MERGE},
        "stacks": [],
        "untouched": 3,
        "old": {"usd_per_month": money("100.00"), "unpriced": 0, "estimated": 0},
        "new": {"usd_per_month": money("150.00"), "unpriced": 0, "estimated": 0},
        "delta": {"usd_per_month": money("50.00"), "percent": "50.0"},
        "judge_changes": [],
        "verdict": "within",
        "exit_code": 0,
        "notes": [],
    }
    return whole | changes


def stack(name: str = "demo", **changes: Any) -> dict[str, Any]:
    whole = {
        "stack": name,
        "state": "changed",
        "was": "",
        "failure": "",
        "old": {"usd_per_month": money("100.00"), "unpriced": 0, "estimated": 0},
        "new": {"usd_per_month": money("150.00"), "unpriced": 0, "estimated": 0},
        "delta": {"usd_per_month": money("50.00"), "percent": "50.0"},
        "by_change": {"usd_per_month": money("50.00"), "percent": "50.0"},
        "by_prices": None,
        "components": [],
        "counts": None,
        "called_out": [],
        "before": {"verdict": "within", "reason": "", "exit_code": 0},
        "after": {"verdict": "within", "reason": "", "exit_code": 0},
        "breaches": [],
        "mended": [],
        "exemptions": [],
        "ceilings": [],
        "notes": [],
    }
    return whole | changes


def raised_ceiling() -> dict[str, Any]:
    row = {"what": "usd_per_month", "where": "stacks/demo/checklist.yaml", "old": "1", "new": "2", "raised": True}
    return stack(ceilings=[row])


def pull(number: int = 7, *, home: str = REPOSITORY, sha: str = HEAD, branch: str = "change") -> dict[str, Any]:
    return {
        "number": number,
        "state": "open",
        "head": {"sha": sha, "ref": branch, "repo": {"full_name": home}},
        "base": {"sha": BASE, "ref": "main", "repo": {"full_name": REPOSITORY}},
    }


def event(*, home: str = REPOSITORY, sha: str = HEAD, branch: str = "change", **run: Any) -> dict[str, Any]:
    whole = {
        "id": 99,
        "event": "pull_request",
        "path": ".github/workflows/cost-diff.yml",
        "head_sha": sha,
        "head_branch": branch,
        "head_repository": {"full_name": home},
        "pull_requests": [],
    }
    return {"workflow_run": whole | run, "repository": {"full_name": REPOSITORY, "default_branch": "main"}}


def comment(number: int, text: str, user: Mapping[str, str] = BOT) -> dict[str, Any]:
    return {"id": number, "body": text, "user": dict(user)}


def review(login: str = "keeper", **changes: Any) -> dict[str, Any]:
    user = {"login": login, "type": "User"}
    return {"user": user, "state": "APPROVED", "commit_id": HEAD, "author_association": "MEMBER"} | changes


@dataclass
class Stub:
    """The repository; every request is kept in `asked`, with its login."""

    root: str = "https://api.example"
    pulls: list[dict[str, Any]] = field(default_factory=lambda: [pull()])
    files: list[dict[str, Any]] = field(default_factory=lambda: [{"filename": "stacks/demo/checklist.yaml"}])
    reviews: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    comments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    issues: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    statuses: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    artifact: bytes | None = field(default_factory=lambda: archive({"diff.json": json.dumps(form())}))
    parents: dict[str, list[str]] = field(default_factory=lambda: {MERGE: [BASE, HEAD]})
    on_base: set[str] = field(default_factory=lambda: {BASE})
    forbidden: set[str] = field(default_factory=set[str])
    faults: list[tuple[int, dict[str, str]]] = field(default_factory=list[tuple[int, dict[str, str]]])
    asked: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    differing: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Files between two commits, where they are others than those of the pull request."""
    rights: dict[str, str] = field(default_factory=dict[str, str])
    unlisted: bool = False
    """Whether the list of pull requests by head is empty, so that the one by commit has to do."""

    def answer(self, method: str, url: str, login: str, body: bytes | None) -> Answer:
        parts = urlsplit(url)
        self.asked.append((method, url, login))
        if self.faults:
            status, headers = self.faults.pop(0)
            return status, headers, b"{}"
        if parts.path.startswith("/blob"):
            return 200, {}, self.artifact or b""
        if not login:
            return 401, {}, b"{}"
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        path = unquote(parts.path).removeprefix(f"/repos/{REPOSITORY}")
        sent = json.loads(body) if body else {}
        return self._answer(method, path, query, sent, url)

    def _answer(self, method: str, path: str, query: dict[str, str], sent: dict[str, Any], url: str) -> Answer:
        if f"{method} {path}" in self.forbidden:
            return _json({"message": "Resource not accessible by integration"}, 403)
        for pattern, call in self._routes(query, sent, url).items():
            if found := re.fullmatch(pattern, f"{method} {path}"):
                return call(found)
        return _json({"message": "Not Found"}, 404)

    def _routes(self, query: dict[str, str], sent: dict[str, Any], url: str) -> dict[str, Any]:
        def page(items: list[dict[str, Any]]) -> Answer:
            return self._page(items, query, url)

        return {
            "GET /pulls": lambda _: page(self._by_head(query.get("head", ""))),
            r"GET /commits/(\w+)/pulls": lambda m: page([each for each in self.pulls if each["head"]["sha"] == m[1]]),
            r"GET /pulls/(\d+)": lambda m: _json(next(each for each in self.pulls if each["number"] == int(m[1]))),
            r"GET /pulls/(\d+)/files": lambda _: page(self.files),
            r"GET /pulls/(\d+)/reviews": lambda _: page(self.reviews),
            r"GET /actions/runs/99/artifacts": lambda _: _json(self._artifacts()),
            r"GET /actions/artifacts/5/zip": lambda _: (302, {"Location": self._blob()}, b""),
            r"GET /git/commits/(\w+)": lambda m: self._commit(m[1]),
            r"GET /compare/(\w+)\.\.\.(?:main|loose)": lambda m: _json(
                {"status": "ahead" if m[1] in self.on_base else "diverged"}
            ),
            r"GET /compare/\w+\.\.\.\w{40}": lambda _: _json({"files": self.differing or self.files[:300]}),
            r"GET /collaborators/([\w-]+)/permission": lambda m: _json({"permission": self.rights.get(m[1], "write")}),
            r"GET /issues/(\d+)/comments": lambda _: page(self.comments),
            r"POST /issues/(\d+)/comments": lambda _: self._add(self.comments, sent, "id"),
            r"PATCH /issues/comments/(\d+)": lambda m: self._edit(self.comments, "id", int(m[1]), sent),
            r"DELETE /issues/comments/(\d+)": lambda m: self._remove(int(m[1])),
            r"POST /statuses/(\w+)": lambda m: self._status(m[1], sent),
            "GET /issues": lambda _: page([each for each in self.issues if each.get("state", "open") == "open"]),
            "POST /issues": lambda _: self._add(self.issues, sent, "number"),
            r"PATCH /issues/(\d+)": lambda m: self._edit(self.issues, "number", int(m[1]), sent),
        }

    def _by_head(self, head: str) -> list[dict[str, Any]]:
        owner, _, branch = head.partition(":")
        mine = [each for each in self.pulls if each["head"]["repo"]["full_name"].startswith(f"{owner}/")]
        return [] if self.unlisted else [each for each in mine if each["head"]["ref"] == branch]

    def _artifacts(self) -> dict[str, Any]:
        if self.artifact is None:
            return {"artifacts": []}
        size = len(self.artifact)
        return {"artifacts": [{"id": 5, "name": "atoll-diff", "size_in_bytes": size, "expired": False}]}

    def _blob(self) -> str:
        return f"{self.root if self.root.startswith('http:') else STORE}/blob"

    def _commit(self, sha: str) -> Answer:
        if sha not in self.parents:
            return _json({"message": "Not Found"}, 404)
        return _json({"sha": sha, "parents": [{"sha": each} for each in self.parents[sha]]})

    def _page(self, items: list[dict[str, Any]], query: dict[str, str], url: str) -> Answer:
        size, number = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
        shown = items[(number - 1) * size : number * size]
        more = number * size < len(items)
        bare = url.partition("?")[0]
        following = f'<{bare}?per_page={size}&page={number + 1}>; rel="next"'
        return 200, {"Link": following} if more else {}, json.dumps(shown).encode()

    def _add(self, items: list[dict[str, Any]], sent: dict[str, Any], key: str) -> Answer:
        items.append({key: 1000 + len(items), "user": dict(BOT), **sent})
        return _json(items[-1], 201)

    def _edit(self, items: list[dict[str, Any]], key: str, number: int, sent: dict[str, Any]) -> Answer:
        found = next(each for each in items if each[key] == number)
        found.update(sent)
        return _json(found)

    def _remove(self, number: int) -> Answer:
        self.comments = [each for each in self.comments if each["id"] != number]
        return 204, {}, b""

    def _status(self, sha: str, sent: dict[str, Any]) -> Answer:
        self.statuses.append((sha, sent))
        return _json(sent, 201)


def _json(value: object, status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


class InProcess(BaseAdapter):
    """Leads a session of requests to a stub, without a socket."""

    def __init__(self, stub: Any) -> None:
        super().__init__()
        self.stub = stub

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        body = request.body.encode() if isinstance(request.body, str) else request.body
        login = request.headers.get("Authorization", "")
        status, headers, content = self.stub.answer(request.method, request.url, login, body)
        answer = requests.Response()
        answer.status_code, answer.headers = status, CaseInsensitiveDict(headers)
        answer.raw, answer.url, answer.request = io.BytesIO(content), request.url or "", request
        return answer

    def close(self) -> None:
        pass
