"""What the handbook says of shared files and of data too large for a store: once, and the same on every page."""

from __future__ import annotations

from decimal import Decimal

import pytest
from handbook_kit import altered, facts, scene

from operations.handbook.facts import HandbookFacts
from operations.handbook.renderer import pages
from planning.spec.cluster import Tier

WARM = Tier.model_validate(
    {
        "tier": "warm",
        "engine": "Distributed File Storage",
        "item": "shared_ssd",
        "asked_gb": Decimal(30000),
        "provisioned_gb": 37500,
        "purpose": "checkpoints",
    }
)


def there(dataset_gb: int = 4000, *, tier: Tier | None = WARM) -> HandbookFacts:
    """A cluster that was there before, with a tier of files that nobody has a claim on."""
    found = scene("existing-lambda")
    home = found.lock.placements[0].model_copy(update={"storage": (tier,) if tier else ()})
    lock = found.lock.model_copy(update={"placements": (home,)})
    return altered(facts(lock, found.checklist), dataset_gb=Decimal(dataset_gb))


def page(of: HandbookFacts, name: str) -> str:
    return next(each.text for each in pages(of) if each.page.id == name)


def test_no_claim_is_not_no_files() -> None:
    told = there()
    assert "your namespace has no claim on shared files" in page(told, "checkpoints")
    assert "this cluster has no shared files" not in page(told, "checkpoints")
    assert "The warm tier is the provider's: Distributed File Storage. Atoll makes no claim on it" in page(
        told, "storage"
    )


def test_a_data_set_is_not_sent_to_a_store_that_cannot_hold_it() -> None:
    told = there()
    text = page(told, "storage")
    assert f"The data set has 4,000 GB, and the store's disks have {told.store_gb} GB. Keep it in the warm tier" in text
    assert "Training data: the bucket" not in text
    assert "ask an administrator.\n" in page(there(40000), "storage")
    assert "No tier of this cluster is large enough for it" in page(there(40000), "storage")


def test_a_data_set_that_the_store_holds_lies_in_the_bucket() -> None:
    assert "Training data: the bucket, copied to local disks" in page(there(100), "storage")


@pytest.mark.parametrize("name", ["coreweave-pretrain", "demo"])
def test_the_store_s_size_is_the_lock_s(name: str) -> None:
    found = scene(name)
    platform = found.lock.spec.platform
    assert platform is not None
    part = platform.part(platform.object_store)
    assert part is not None
    assert f"its disks have {part.disk_gb} GB" in page(found.facts, "storage")


def test_a_claim_in_a_namespace_of_its_own_is_the_same_on_both_pages() -> None:
    told = scene("coreweave-pretrain").facts
    assert dict(told.apart) == {"warm": "atoll-storage-warm"}
    storage, checkpoints = page(told, "storage"), page(told, "checkpoints")
    assert "one claim, `warm`, in the namespace `atoll-storage-warm`" in storage
    assert "Your namespace has no claim on it." in storage
    assert "your namespace has no claim on shared files" in checkpoints
    assert "(storage.md#shared-files)" in checkpoints


def test_the_nodes_own_disks_are_no_place_to_keep_a_data_set() -> None:
    hot = WARM.model_copy(update={"tier": "hot", "item": "local_nvme", "asked_gb": Decimal(20000)})
    told = altered(there(tier=None), tiers=(hot,))
    assert told.data_tiers == ()
    assert told.unclaimed == ()
