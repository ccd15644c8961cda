from __future__ import annotations

from look import at, of_type
from platform_samples import run_part, spec_with

from components.platform.foundation import namespaces

ENFORCE = "pod-security.kubernetes.io/enforce"


def test_every_chart_has_a_shut_namespace() -> None:
    run = run_part("namespaces", namespaces.build, spec_with())
    levels = {
        str(at(each, "metadata", "name")): at(each, "metadata", "labels")[ENFORCE]
        for each in of_type(run, "kubernetes:core/v1:Namespace")
    }
    assert {"observability", "object-store", "mlflow", "velero"} <= set(levels)
    assert levels["mlflow"] == "restricted"
    assert "kube-system" not in levels
