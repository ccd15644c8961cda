from __future__ import annotations

import pytest

from components.cluster.existing import check_context
from planning.errors import AtollError, Fault, InputError, in_one_line

KUBECONFIG = "apiVersion: v1\nkind: Config\ncontexts:\n- name: prod\n  context: {cluster: c, user: u}\n"


@pytest.mark.parametrize("context", [None, "prod"])
def test_a_kubeconfig_with_the_context_passes(context: str | None) -> None:
    check_context(KUBECONFIG, context=context, variable="KUBECONFIG")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (KUBECONFIG, "no context 'other'; it has prod"),
        ("a: [", "is not YAML"),
        ("", "no kubeconfig"),
        ("just words", "no kubeconfig"),
        ("contexts: []", "no kubeconfig"),
    ],
)
def test_a_kubeconfig_that_cannot_work_is_refused_before_anything_is_made(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_context(text, context="other", variable="KUBECONFIG")


def test_an_error_in_one_line_says_its_faults_and_its_hint() -> None:
    fault = Fault(message="not a number", file="lock", line=3)
    assert in_one_line(InputError("bad lock", faults=[fault], hint="accept again")) == (
        "bad lock; line 3: not a number; accept again"
    )
    assert in_one_line(AtollError("no")) == "no"
