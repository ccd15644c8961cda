"""What the engine says when it fails, in words."""

from __future__ import annotations

import os
import socket
import subprocess

import pytest
from pulumi.automation import CommandError, ConcurrentUpdateError, StackNotFoundError

from operations.engine.messages import (
    Diagnostic,
    build_operation_error,
    diagnostic,
    hint_for,
    merge_reasons,
    read_engine_error,
)

URN = "urn:pulumi:demo::atoll::kubernetes:core/v1:Namespace::team"
TRACE = """Program failed with an unhandled exception:
Traceback (most recent call last):
  File "/project/stacks/__main__.py", line 13, in <module>
    raise ValueError("x")
ValueError: x
and more
"""


def error(stderr: str, kind: type[CommandError] = CommandError) -> CommandError:
    return kind(f"\n code: 1\n stdout: secret: 12345\n stderr: {stderr}")  # pyright: ignore[reportArgumentType]  # the SDK makes a string of it


def test_a_traceback_is_reduced_to_its_last_words() -> None:
    said = diagnostic(TRACE, urn="")
    assert said == Diagnostic("the program failed: ValueError: x and more (raised at /project/stacks/__main__.py:13)")


CUT_OFF = "kubernetes:kustomize/v2:Directory resource 'dex' has a problem: grpc: the client connection is closing"


@pytest.mark.parametrize(
    "noise",
    ["", " \n", "update failed\n", "an unhandled error occurred: program exited with non-zero exit code: 1", CUT_OFF],
)
def test_words_without_content_are_dropped(noise: str) -> None:
    assert diagnostic(noise, urn=URN) is None


def test_colours_go_and_the_resource_is_named() -> None:
    assert str(diagnostic("<{%fg 1%}>quota exceeded<{%reset%}>\n", urn=URN)) == "team: quota exceeded"


def test_only_the_errors_of_stderr_are_repeated() -> None:
    assert read_engine_error(error("warning: old\nerror: no such thing\nmore")) == "no such thing"
    assert read_engine_error(error("")) == "it gave no reason"


def test_a_reason_that_many_resources_share_is_said_once() -> None:
    found = [Diagnostic("unreachable", "a"), Diagnostic("unreachable", "b"), Diagnostic("other")]
    assert merge_reasons(found) == ["a and 1 more: unreachable", "other"]


POSTED = (
    'resource "urn:pulumi:demo::atoll::kubernetes:core/v1:Secret::{name}" was not successfully created by the '
    'Kubernetes API server: Post "https://10.0.0.1:6443/api/v1/{name}?by=pulumi": '
    "read tcp 10.0.0.2:{port}->10.0.0.1:6443: read: connection reset by peer"
)


def test_calls_that_fail_for_one_reason_are_one_reason() -> None:
    found = [diagnostic(POSTED.format(name=name, port=port), urn=f"x::{name}") for name, port in (("a", 1), ("b", 2))]
    (said,) = merge_reasons([each for each in found if each])
    assert said == "a and 1 more: https://10.0.0.1:6443: read tcp 10.0.0.1:6443: read: connection reset by peer"
    assert "goes on where it stopped" in hint_for(said)


def test_a_balancer_that_gets_no_address_says_who_gives_one() -> None:
    said = diagnostic(
        f'2 errors occurred:\n\t* resource "{URN}" was successfully created, but the Kubernetes API server reported '
        "that it failed to fully initialize or become live: 'vpn' timed out waiting to be Ready\n\t* Service was not "
        "allocated an IP address; does your cloud provider support this?",
        urn=URN,
    )
    assert said is not None
    assert "urn:" not in said.text
    assert "created, but it failed" in said.text
    assert "MetalLB" in hint_for(said.text)


EXISTS = 'namespaces "work-a" already exists'
CONFLICT = 'The resource had an apply conflict: conflict with "x": .data.password'
DETECTED = "server-side apply field conflict detected"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (f"{EXISTS}\n\nThe resource already exists in the cluster. This can be:\n  - x", f"{EXISTS} in the cluster"),
        (f"{DETECTED}, see https://x.example/#y for troubleshooting help\n{CONFLICT}", f"{DETECTED}: {CONFLICT}"),
    ],
)
def test_what_is_in_the_cluster_already_is_said_in_one_line_with_the_page_that_helps(said: str, left: str) -> None:
    assert diagnostic(said, urn=URN) == Diagnostic(left, "team")
    assert "docs/guides/existing-cluster.md" in hint_for(left)


def test_a_wrong_passphrase_says_which_variable_to_set() -> None:
    told = build_operation_error(
        "preview", "demo", error=error("error: get stack secrets manager: incorrect passphrase"), found=()
    )
    assert str(told) == "preview of demo failed: the passphrase does not open its secrets"
    assert "PULUMI_CONFIG_PASSPHRASE" in told.hint


def test_a_lock_names_who_holds_it_and_how_to_break_it() -> None:
    stderr = "error: the stack is currently locked by 1 lock(s).\n  x: created by ann@box (pid 7) at 2026-11-21T15:00Z"
    told = build_operation_error(
        "up", "demo", error=error(stderr, ConcurrentUpdateError), found=(), prefix="PULUMI_BACKEND_URL=x "
    )
    assert "ann@box, process 7" in str(told)
    assert "PULUMI_BACKEND_URL=x pulumi cancel --stack demo" in told.hint


def test_a_stack_that_is_not_there_says_how_to_build_it() -> None:
    told = build_operation_error(
        "selection", "demo", error=error("error: no stack named 'demo' found", StackNotFoundError), found=()
    )
    assert told.hint == "atoll up demo builds it"


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("no resource plugin 'pulumi-resource-aws' found in the workspace", "atoll engine install"),
        ("configured Kubernetes cluster is unreachable: connection refused", "kubectl"),
        ("PULUMI_ACCESS_TOKEN must be set for login", "pulumi login"),
    ],
)
def test_known_reasons_come_with_advice(reason: str, advice: str) -> None:
    told = build_operation_error("up", "demo", error=error(""), found=[Diagnostic(reason, "cluster")])
    assert str(told) == f"up of demo failed: cluster: {reason}"
    assert advice in told.hint


def test_what_the_command_printed_is_never_repeated() -> None:
    assert "12345" not in str(build_operation_error("up", "demo", error=error("error: refused"), found=()))


def test_a_lock_of_a_killed_update_of_this_machine_is_said_to_be_one() -> None:
    ended = subprocess.Popen(["true"])  # noqa: S607 - from the PATH
    ended.wait()
    here = socket.gethostname()
    said = f"error: the stack is currently locked\n  x: created by ann@{here} (pid {{}}) at 2026-11-21T15:00Z"
    gone, there = (
        build_operation_error("up", "demo", error=error(said.format(process), ConcurrentUpdateError), found=())
        for process in (ended.pid, os.getpid())
    )
    assert "an update that was killed" in str(gone)
    assert gone.hint == "pulumi cancel --stack demo, then go on"
    assert "another update" in str(there)
