"""Requests to the API of a code host: pages and typed answers; the token goes to that host alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError
from requests.utils import parse_header_links

from operations.project.http import HttpError, HttpSession, is_secure
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from operations.project.http import HttpResponse

MOST_PAGES: Final = 100
REDIRECTS: Final = 3  # of a download: the API, its store, and one in between
LONGEST_SHOWN: Final = 80  # characters of a wrong address
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeHostApi:
    """One API with its login; every call raises HttpError where it is refused, not answered, or of another shape."""

    root: str
    session: HttpSession

    def get(self, path: str, shape: type[T], **query: str | int) -> T:
        return _parse(self._request("GET", path, query=query), _adapter(shape), path)

    def list_pages(self, path: str, shape: type[T], **query: str | int) -> Iterator[T]:
        """Every entry of a list, page by page, as the `Link` headers lead; 100 pages at most."""
        following, asked = path, dict[str, str | int](query) | {"per_page": 100}
        for _ in range(MOST_PAGES):
            answer = self._request("GET", following, query=asked)
            yield from _parse(answer, _list_adapter(shape), path)
            links = parse_header_links(answer.headers.get("link", ""))
            following, asked = next((each["url"] for each in links if each.get("rel") == "next"), ""), {}
            if not following:
                return
        raise HttpError(f"{path}: the list is longer than {MOST_PAGES} pages")

    def send(self, method: str, path: str, body: Mapping[str, object], *, again: bool = True) -> None:
        """Make a change; `again` says that sending it twice does no harm."""
        self._request(method, path, body=body, again=again)

    def keep_one_comment(
        self, ours: Sequence[tuple[int, str]], text: str, *, create: str, edit: str, method: str
    ) -> None:
        """Create a comment, or rewrite the oldest of ours and delete the others.

        Args:
            ours: ids and texts, the oldest first.
            create: path of new comments. edit: path of existing ones, without the id.
            method: by which the host changes a comment.
        """
        if not ours:
            self.send("POST", create, {"body": text}, again=False)  # sent twice, it would be two comments
            return
        (oldest, before), *others = ours
        if before.strip() != text.strip():
            self.send(method, f"{edit}/{oldest}", {"body": text})
        for number, _ in others:
            self.delete(f"{edit}/{number}")

    def delete(self, path: str) -> None:
        self._request("DELETE", path)

    def download(self, path: str, *, limit: int) -> bytes:
        """A file of at most `limit` bytes; a redirect to another host is followed without the login.

        Raises:
            AnswerTooLargeError: it is larger.
        """
        answer = self.session.request("GET", self._build_url(path), redirects=REDIRECTS, most_bytes=limit)
        return _accept(answer, f"GET {path}").body

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, object] | None = None,
        again: bool = True,
    ) -> HttpResponse:
        answer = self.session.request(method, self._build_url(path), query=query, body=body, repeatable=again)
        return _accept(answer, f"{method} {path.partition('?')[0]}")

    def _build_url(self, path: str) -> str:
        """The address of a path; an address must lie under the API's own."""
        if "://" not in path:
            return f"{self.root.rstrip('/')}/{path.lstrip('/')}"
        try:
            here, there = urlsplit(self.root), urlsplit(path)
        except ValueError as error:
            raise HttpError("the API names an address that is none") from error
        # The login goes along with every request: a `Link` header must not lead it to another host.
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise HttpError(f"the API sends us to another host, {there.hostname}")
        return path


def open_api(root: str, token: str, *, headers: Mapping[str, str] | None = None) -> CodeHostApi:
    """An API with its token, over HTTPS (plain HTTP only to this machine).

    Raises:
        InputError: no token, or an address that would send it in the clear.
    """
    if not token:
        raise InputError("there is no token for the API", hint="give it in the environment, as the workflow file does")
    if not is_secure(root):
        raise InputError(f"{root[:LONGEST_SHOWN]!r} is not HTTPS", hint="give the API's address with https://")
    return CodeHostApi(root=root, session=HttpSession(token=token, headers=headers))


@cache
def _adapter(shape: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(shape)


@cache
def _list_adapter(shape: type[T]) -> TypeAdapter[list[T]]:
    listed: Any = GenericAlias(list, (shape,))
    return TypeAdapter(listed)


def _accept(answer: HttpResponse, what: str) -> HttpResponse:
    if answer.status >= HTTPStatus.BAD_REQUEST:
        hint = "the request was not retried any further; run the job again"
        raise HttpError(f"{what}: the API answers {answer.status}", hint=hint, status=answer.status)
    return answer


def _parse(answer: HttpResponse, shape: TypeAdapter[T], path: str) -> T:
    try:
        return shape.validate_json(answer.body)
    except ValidationError as error:  # its own words would repeat the content
        raise HttpError(f"{path.partition('?')[0]}: the answer is not what the API documents") from error
