"""The workflows, rehearsed: their scripts run in a small repository with a pull request, before a stub of GitHub's API.

`atoll diff` and `atoll watch` are played by a script in that repository; what posts is the real `atoll comment`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from github_stub import Stub, archive, comment, form, pull
from pull_request_scene import WORKFLOWS, Scene, git
from workflow_runner import served

from operations.code_hosts.commit_status import MARKER

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
PLAYED = f"""#!{sys.executable}
import json, os, subprocess, sys
command, *given = sys.argv[1:]
if command == "comment":
    os.execv({sys.executable!r}, [{sys.executable!r}, "-P", "-m", "cli.main.entry", command, *given])
if command == "engine":
    sys.exit(0)
if command == "preview":
    print("+ a node pool\\n```\\n</details><img src=x>")
    sys.exit(10)
if command == "watch":
    state = open(given[2]).read()
    print("looked at", given[0], state)
    sys.exit(10 if "too much" in state else 0)
asked = dict(zip(given[::2], given[1::2]))
assert subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip() == asked["--base"]
whole = json.loads(open("form.json").read())
whole["base"]["commit"], whole["head"]["commit"] = asked["--base"], asked["--head"]
show = ["git", "show", asked["--head"] + ":stacks/demo/checklist.yaml"]
text = subprocess.run(show, capture_output=True, text=True, check=True).stdout
if "dear" in text:
    whole["verdict"], whole["exit_code"] = "over", 10
texts = {{"-o": json.dumps(whole), "--markdown": "# figures", "--sarif": "{{}}", "--junit": "<x/>"}}
for option, body in texts.items():
    open(asked[option], "w").write(body)
sys.exit(whole["exit_code"])
"""
UNSET = (
    *("vars.PULUMI_BACKEND_URL", "secrets.PULUMI_CONFIG_PASSPHRASE", "secrets.PULUMI_ACCESS_TOKEN"),
    *("vars.ATOLL_AWS_ROLE", "vars.ATOLL_AWS_REGION", "vars.ATOLL_GCP_PROVIDER", "vars.ATOLL_GCP_ACCOUNT"),
)
MAKEFILE = "setup:\n\tmkdir -p .venv/bin && cp played .venv/bin/atoll && chmod +x .venv/bin/atoll\n"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    origin = tmp_path / "origin"
    (origin / "stacks" / "demo").mkdir(parents=True)
    texts = {"Makefile": MAKEFILE, "played": PLAYED, "form.json": json.dumps(form())}
    for name, text in {**texts, "stacks/demo/checklist.yaml": "nodes: 2\n", ".gitignore": ".venv\n"}.items():
        (origin / name).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main", str(origin))
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "base")
    stub = Stub()
    with served(stub):
        found = Scene(tmp_path, origin, stub)
        found.change({"stacks/demo/checklist.yaml": "nodes: 4\n"})
        yield found


def test_a_fork_gets_its_comment_and_status(scene: Scene) -> None:
    computed = scene.compute()
    assert "# figures" in computed.summary
    posted = scene.post()
    assert scene.states == [(scene.head, "success")], posted.said
    assert len(scene.ours) == 1
    assert "50" in scene.ours[0]
    assert "a-token-of-the-job" not in posted.said + posted.summary


def test_another_push_updates_the_comment_among_250_others(scene: Scene) -> None:
    scene.stub.comments = [comment(number, "remark", {"login": "x", "type": "User"}) for number in range(250)]
    scene.compute()
    scene.post()
    scene.change({"stacks/demo/checklist.yaml": "nodes: dear\n"})
    assert not scene.compute().job(WORKFLOWS / "cost-diff.yml", "diff")
    scene.post()
    assert len(scene.ours) == 1
    assert [state for _, state in scene.states] == ["success", "failure"]
    assert scene.head[:12] in scene.ours[0]


def test_the_base_judges_a_head_that_rewrites_the_judge(scene: Scene) -> None:
    blind = f"#!{sys.executable}\nprint('all is well')\n"
    scene.change({"played": blind, "stacks/demo/checklist.yaml": "nodes: dear\n"})
    computed = scene.compute()
    assert "all is well" not in computed.said
    scene.post()
    assert scene.states == [(scene.head, "failure")]
    assert "edits its own checks" in scene.ours[0]


def test_a_tampered_artifact_is_not_shown(scene: Scene) -> None:
    scene.compute()
    scene.stub.artifact = archive({"diff.json": '{"verdict": "within"}', "comment.md": "trust me"})
    scene.post()
    assert scene.states == [(scene.head, "failure")]
    assert "trust me" not in scene.ours[0]


def test_a_number_in_the_artifact_leads_nowhere(scene: Scene) -> None:
    scene.compute()
    scene.stub.pulls.append(pull(8, home="island/other", sha="d" * 40))
    scene.stub.artifact = archive({"diff.json": json.dumps(form()), "number": "8"})
    scene.post()
    assert [url for method, url, _ in scene.stub.asked if method != "GET" and "/8/" in url] == []
    assert scene.states == [(scene.head, "failure")]


def test_figures_of_another_pull_request_are_not_shown(scene: Scene) -> None:
    scene.compute()
    kept = scene.stub.artifact
    scene.change({"stacks/demo/checklist.yaml": "nodes: dear\n"})
    scene.stub.artifact = kept
    scene.post()
    assert scene.states == [(scene.head, "failure")]
    assert "no figures" in scene.ours[0]


def test_a_head_that_moved_on_is_left_alone(scene: Scene) -> None:
    scene.compute()
    posted = scene.post(head_sha="e" * 40)
    assert "nothing to post" in posted.summary
    assert (scene.states, scene.ours) == ([], [])


def test_a_run_that_died_leaves_a_failure(scene: Scene) -> None:
    scene.stub.artifact = None
    scene.post()
    assert scene.states == [(scene.head, "failure")]


def test_where_comments_are_forbidden_the_summary_has_them(scene: Scene) -> None:
    scene.compute()
    scene.stub.forbidden = {"POST /issues/7/comments"}
    posted = scene.post()
    assert MARKER in posted.summary
    assert scene.states == [(scene.head, "success")]


def test_a_branch_with_an_evil_name_runs_nothing(scene: Scene) -> None:
    scene.compute()
    evil = "$(touch${IFS}pwned);`id`"
    scene.stub.pulls[0]["head"]["ref"] = evil
    scene.post(branch=evil)
    assert scene.states == [(scene.head, "success")]
    assert list(scene.folder.rglob("pwned")) == []


def test_the_watch_opens_one_issue_and_closes_it(scene: Scene) -> None:
    tools = scene.folder / "tools"
    tools.mkdir()
    (tools / "pulumi").touch(mode=0o755)
    for costs, open_issues in (("too much", 1), ("too much", 1), ("enough", 0)):
        (tools / "pulumi").write_text(
            f'#!/bin/bash\n[ "$4" = dear ] && cost="{costs}"\necho "$4 ${{cost:-little}}" > "$6"\n'
        )
        runner = scene.runner("watch", {})
        runner.environment = {**runner.environment, "PATH": f"{tools}:/usr/bin:/bin"}
        runner.values |= dict.fromkeys(UNSET, "") | {"vars.ATOLL_WATCH_STACKS": '["demo", "dear"]'}
        assert runner.job(WORKFLOWS / "watch.yml", "watch"), runner.said
        issues = scene.runner("issues", {})
        issues.artifacts = runner.artifacts
        assert issues.job(WORKFLOWS / "watch.yml", "issues"), issues.said
        standing = [each["title"] for each in scene.stub.issues if each.get("state", "open") == "open"]
        assert [title.partition(":")[0] for title in standing] == ["dear"] * open_issues
    assert "looked at dear dear too much" in scene.stub.issues[0]["body"]
    assert len(scene.stub.issues) == 1


def test_the_engines_diff_is_in_the_summary_and_its_exit_code_counts(scene: Scene) -> None:
    runner = scene.runner("preview", {})
    runner.values |= dict.fromkeys(UNSET, "") | {"matrix.stack": "demo"}
    assert not runner.job(WORKFLOWS / "preview.yml", "preview")
    heading, _, block = runner.summary.partition("\n\n")
    assert heading == "## atoll preview: exit code 10"
    assert "a node pool" in block
    assert all(line.startswith("    ") for line in block.splitlines())
