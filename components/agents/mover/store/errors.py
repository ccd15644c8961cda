"""What a store's refusal means: in plain words, whether to ask again, whether to stop altogether."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.agents.mover.store.model import StoreError
from components.agents.mover.store.xml_responses import Refusal, refusal

if TYPE_CHECKING:
    from components.agents.mover.store.model import Place

# Codes: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html (2026-11-22) and MinIO's cmd/api-errors.go.
HINTS: Final = {
    "AccessDenied": "these keys may not do that here: look at the user's policy and at the bucket's",
    "AllAccessDisabled": "the bucket is closed by its provider",
    "AuthorizationHeaderMalformed": "the region in the places is not the bucket's",
    "EntityTooLarge": "the store takes no upload of this size",
    "ExpiredToken": "the temporary keys ran out: get new ones and run it again, it goes on where it stopped",
    "InvalidAccessKeyId": "the store does not know this access key",
    "InvalidObjectState": "it lies in an archive tier: restore it first",
    "InvalidToken": "the session token is not the one of these keys",
    "InvalidTokenId": "the session token is not the one of these keys, or ran out",
    "NoSuchBucket": "there is no such bucket: build it, or mend its name in the places",
    "PermanentRedirect": "the bucket is at another endpoint or in another region",
    "QuotaExceeded": "the bucket's quota is used up: raise it and run it again, it goes on where it stopped",
    "RequestTimeTooSkewed": "the clocks of this machine and of the store are too far apart: set this one by NTP",
    "SignatureDoesNotMatch": "the secret key is not the one of this access key",
    "XMinioAdminBucketQuotaExceeded": "the bucket's quota is used up: raise it and run it again",
    "XMinioInvalidObjectName": "MinIO takes no such key: it keeps objects as files, whose names have bounds",
    "XMinioInvalidResourceName": "MinIO takes no such key: it keeps objects as files and refuses '.' and '..' in them",
    "XMinioStorageFull": "the store's drives are full: make room and run it again, it goes on where it stopped",
}
# Where keys are temporary: MinIO forgets them when they run out, and refuses them when their user is closed.
RAN_OUT: Final = HINTS["ExpiredToken"]
HINTS_OF_TEMPORARY: Final = {
    "AccessDenied": f"{HINTS['AccessDenied']}; or {RAN_OUT}",
    "InvalidAccessKeyId": f"{HINTS['InvalidAccessKeyId']}, or {RAN_OUT}",
    "InvalidTokenId": RAN_OUT,
}
# An answer without a body says only its status.
BY_STATUS: Final = {
    301: "PermanentRedirect",
    400: "BadRequest",
    401: "Unauthorized",
    403: "AccessDenied",
    404: "NoSuchKey",
    405: "MethodNotAllowed",
    412: "PreconditionFailed",
    501: "NotImplemented",
    507: "XMinioStorageFull",
}
AGAIN_STATUS: Final = frozenset({429, 500, 502, 503, 504})
AGAIN_CODES: Final = frozenset(
    {"InternalError", "OperationAborted", "RequestTimeout", "ServiceUnavailable", "SlowDown", "SlowDownRead"}
    | {"SlowDownWrite", "Throttling", "XMinioServerNotInitialized"}
)
# After one of these the next object would be refused too.
UNKNOWN_HERE: Final = frozenset({"NotImplemented", "MethodNotAllowed"})
NO_VERSIONS: Final = Refusal(code="NotImplemented", message="older versions are not read from Google's store")
FINAL: Final = frozenset(HINTS) - {
    "AccessDenied",
    "EntityTooLarge",
    "InvalidObjectState",
    "XMinioInvalidObjectName",
    "XMinioInvalidResourceName",
}
KEY_MOST: Final = 160  # characters of a key in a message
MESSAGE_MOST: Final = 300  # characters of a store's own words


def read(content: bytes, status: int) -> Refusal:
    """What a refusal says; its status where it says nothing."""
    found = refusal(content) if content else None
    if found is not None and found.code:
        return found
    return Refusal(code=BY_STATUS.get(status, ""), message="")


def passing(found: Refusal, status: int) -> bool:
    """Whether the same request may be answered in a moment."""
    return found.code not in FINAL and (status in AGAIN_STATUS or found.code in AGAIN_CODES)


def hopeless(error: StoreError) -> bool:
    """Whether everything else would be refused as well: the store, the bucket or the keys are at fault."""
    return error.code in FINAL or not error.status


def named(place: Place, key: str) -> str:
    """A bucket or an object as a message names it: on one line, however odd its key."""
    if not key:
        return f"bucket {place.bucket}"
    text = key if key.isprintable() else repr(key)[1:-1]
    return f"{place.bucket}/{text if len(text) <= KEY_MOST else f'{text[:KEY_MOST]}... ({len(key)} characters)'}"


def error(place: Place, what: str, found: Refusal, status: int) -> StoreError:
    """The error for a person: what was tried, where, the store's words, and what to do."""
    said = without_secrets(place, " ".join(found.message.split())[:MESSAGE_MOST])
    hints = {**HINTS, **HINTS_OF_TEMPORARY} if place.session_token else HINTS
    hint = hints.get(found.code, "")
    words = f"{what} at {place.endpoint}: {found.code or 'refused'} ({status})"
    parts = [words, said.rstrip("."), hint]
    return StoreError("; ".join([each for each in parts if each]), code=found.code, status=status)


def unreachable(place: Place, what: str, why: str) -> StoreError:
    """The error where no answer came."""
    return StoreError(f"{what} at {place.endpoint}: {without_secrets(place, why)}")


def without_secrets(place: Place, text: str) -> str:
    """A store's words without anything that opens it."""
    for each in (place.secret_key, place.session_token):
        if each:
            text = text.replace(each, "***")
    return text
