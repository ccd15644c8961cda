"""A made-up AWS account inside this process, and the catalog that prices what is found in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from moto import mock_aws

from catalogs.catalog import Catalog, load
from operations.clouds.aws.client import Clients, clients

REGION = "us-east-1"


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load()


@pytest.fixture
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Nothing on this machine lets anybody in."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "KUBECONFIG"):
        monkeypatch.setenv(name, f"{tmp_path}/none")


@pytest.fixture
def clients_of_aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    """Clients of an empty account."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # hundreds of images, read anew for each test
    with mock_aws():
        made = clients(REGION)
        assert isinstance(made, Clients)
        yield made
