"""A lease in the cluster that allows one acceptance run at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Final, cast

from components.acceptance.job_context import NAMESPACE
from components.acceptance.model import Reference
from operations.clouds.kubernetes.objects import ClusterError
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from components.acceptance.model import Manifest
    from operations.acceptance.kubernetes_cluster import AcceptanceCluster

LEASE: Final = Reference(
    api_version="coordination.k8s.io/v1", kind="Lease", namespace=NAMESPACE, name="atoll-accept-test"
)
EVERY_SECONDS: Final = 15.0
# After this without a renewal the holder counts as dead: four renewals were missed. Clocks are never compared.
SECONDS_OF_SILENCE: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Time, as a run needs it."""

    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(slots=True, kw_only=True)
class Hold:
    """The lease of one run; `run` is its name, and another command that resumes the run is another holder."""

    cluster: AcceptanceCluster
    clock: Clock
    run: str
    say: Callable[[str], None]
    token: str = field(default_factory=lambda: token_hex(4))
    renewed: float = float("-inf")

    @property
    def holder(self) -> str:
        return f"{self.run}/{self.token}"

    def take(self) -> None:
        """Take the lease, once no other run renews it. The namespace exists.

        Raises:
            InputError: another run works there now.
            ClusterError: the cluster refuses or does not answer.
        """
        found = self.cluster.get(LEASE)
        if found is not None and _who(found) != self.holder:
            self.say(f"{_who(found)} worked here; looking for {SECONDS_OF_SILENCE} s whether it still does")
            # Not by the times in the lease: the clocks of two machines may differ by more than its length.
            self._await_silence(_sign(found))
        self._write()

    def renew(self) -> None:
        """Renew the lease every 15 seconds. Raises: ClusterError: another run has taken over."""
        if self.clock.monotonic() - self.renewed < EVERY_SECONDS:
            return
        try:
            found = self.cluster.get(LEASE)
        except ClusterError:  # what is awaited is asked for in the same breath, and decides how long is too long
            return
        if found is not None and _who(found) != self.holder:
            raise ClusterError(f"the acceptance {_who(found)} has taken over", hint="one at a time; run again after it")
        self._write()

    def give_back(self) -> bool:
        """Delete the lease; False where another run has taken it over."""
        found = self.cluster.get(LEASE)
        if found is not None and _who(found) != self.holder:
            return False
        self.cluster.delete(LEASE)
        return True

    def _await_silence(self, sign: tuple[str, str]) -> None:
        until = self.clock.monotonic() + SECONDS_OF_SILENCE
        while self.clock.monotonic() < until:
            self.clock.sleep(EVERY_SECONDS / 3)
            found = self.cluster.get(LEASE)
            if found is None:
                return
            if _sign(found) != sign:
                raise InputError(
                    f"another acceptance works in this cluster now: {_who(found)}",
                    hint="wait for its end, or stop it: two would take each other's jobs away",
                )

    def _write(self) -> None:
        self.cluster.apply(self._build_lease())
        self.renewed = self.clock.monotonic()

    def _build_lease(self) -> Manifest:
        moment = self.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec: Manifest = {
            "holderIdentity": self.holder,
            "leaseDurationSeconds": SECONDS_OF_SILENCE,
            "renewTime": moment,
        }
        metadata = {"name": LEASE.name, "namespace": LEASE.namespace}
        return {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": metadata, "spec": spec}


def _sign(lease: Mapping[str, object]) -> tuple[str, str]:
    spec = cast("Mapping[str, object]", lease.get("spec") or {})
    return _who(lease), str(spec.get("renewTime", ""))


def _who(lease: Mapping[str, object]) -> str:
    return str(cast("Mapping[str, object]", lease.get("spec") or {}).get("holderIdentity", "")) or "without a holder"
