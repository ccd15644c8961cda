"""Where a stack makes a bucket of the provider, and which parts can keep their objects in it without keys."""

from __future__ import annotations

from typing import Final

WITH_BUCKET: Final = frozenset({"aws", "gcp", "coreweave"})  # targets whose stack makes a bucket for the platform
# Targets whose bucket speaks S3 to whoever has a pod's identity. Google Cloud's does so with keys only
# (docs.cloud.google.com/storage/docs/interoperability), and CoreWeave's asks for a label on service accounts, which
# the profile controller makes without.
S3_BY_IDENTITY: Final = frozenset({"aws"})
ONLY_S3: Final = ("pipelines",)  # parts that know no other language
REASON: Final = "it keeps artifacts over S3, which this provider's bucket does not speak to pods without keys"


def unreachable(part: str, *, store: str, provider: str) -> str:
    """Why a part cannot use the chosen store there; "" where it can.

    Args:
        store: word of `platform.object_store`.
    """
    refused = store == "provider" and part in ONLY_S3 and provider not in S3_BY_IDENTITY
    return REASON if refused else ""
