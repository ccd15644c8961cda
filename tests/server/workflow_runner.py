"""A workflow file of GitHub, its `run` steps really run: checkout and artifacts are played with git and a zip file."""

from __future__ import annotations

import io
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import yaml

EXPRESSION: Final = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
SHELL: Final = ("bash", "--noprofile", "--norc", "-eo", "pipefail")  # GitHub's words for `shell: bash`
KEPT: Final = ("PATH", "HOME", "LANG", "GOPATH")


@dataclass
class Runner:
    """One machine: a workspace, what expressions come to, and where artifacts go."""

    folder: Path
    origin: Path
    ref: str
    """What actions/checkout takes where a step names no ref."""
    values: dict[str, str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    artifacts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    said: str = ""

    def __post_init__(self) -> None:
        for name in ("work", "temp"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.values |= {"runner.temp": str(self.folder / "temp")}

    @property
    def summary(self) -> str:
        path = self.folder / "temp" / "summary"
        return path.read_text() if path.exists() else ""

    def file(self, artifact: str, name: str) -> str:
        """The text of a file in an artifact that was uploaded."""
        with zipfile.ZipFile(io.BytesIO(self.artifacts[artifact])) as opened:
            return opened.read(name).decode()

    def job(self, workflow: Path, name: str) -> bool:
        """Run a job's steps in order; whether it ended well. After a fault only `always()` runs."""
        fine = True
        for step in yaml.safe_load(workflow.read_text())["jobs"][name]["steps"]:
            if fine or step.get("if") == "always()":
                fine = self._step(step) and fine
        return fine

    def _step(self, step: dict[str, Any]) -> bool:
        given = {key: self._filled(str(text)) for key, text in step.get("with", {}).items()}
        match step.get("uses", "").partition("@")[0]:
            case "actions/checkout":
                self._check_out(given)
            case "actions/upload-artifact":
                self.artifacts[given["name"]] = self._packed(Path(given["path"]))
            case "actions/download-artifact":
                with zipfile.ZipFile(io.BytesIO(self.artifacts[given["name"]])) as opened:
                    opened.extractall(self.folder / "work" / given["path"])
            case "actions/setup-python" | "aws-actions/configure-aws-credentials" | "google-github-actions/auth":
                pass
            case "":
                return self._run(step)
            case other:
                raise AssertionError(f"the rehearsal does not know {other}")
        return True

    def _check_out(self, given: Mapping[str, str]) -> None:
        assert given["persist-credentials"] == "False"
        there = self.folder / "work" / given.get("path", ".")
        subprocess.run(["git", "init", "-q", there], check=True)  # noqa: S607 - git from the PATH
        depth = [] if given.get("fetch-depth") == "0" else ["--depth=1"]
        fetch = ["fetch", "-q", *depth, self.origin.as_uri(), given.get("ref", self.ref)]
        subprocess.run(["git", "-C", there, *fetch], check=True)  # noqa: S607 - as above
        subprocess.run(["git", "-C", there, "checkout", "-q", "--detach", "FETCH_HEAD"], check=True)  # noqa: S607 - as above

    def _packed(self, folder: Path) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
            for path in sorted(folder.rglob("*")):
                opened.write(path, path.relative_to(folder))
        return packed.getvalue()

    def _run(self, step: dict[str, Any]) -> bool:
        temp = self.folder / "temp"
        script, output = temp / "script.sh", temp / "output"
        script.write_text(step["run"])
        output.write_text("")
        environment = {name: os.environ[name] for name in KEPT if name in os.environ} | dict(self.environment)
        environment |= {key: self._filled(str(text)) for key, text in step.get("env", {}).items()}
        environment |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(temp / "summary")}
        environment |= {"RUNNER_TEMP": str(temp), "CI": "true", "GITHUB_ACTIONS": "true"}
        where = self.folder / "work" / step.get("working-directory", ".")
        done = subprocess.run([*SHELL, script], cwd=where, env=environment, capture_output=True, text=True, check=False)
        self.said += done.stdout + done.stderr
        for line in output.read_text().splitlines():
            key, _, text = line.partition("=")
            self.values[f"steps.{step.get('id', '')}.outputs.{key}"] = text
        return done.returncode == 0

    def _filled(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self.values[found[1]], text)


@contextmanager
def served(stub: Any) -> Iterator[str]:
    """The stub behind a port of this machine."""

    class Door(BaseHTTPRequestHandler):
        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            login = self.headers.get("Authorization", "")
            status, headers, content = stub.answer(self.command, f"{stub.root}{self.path}", login, body or None)
            self.send_response(status)
            for key, text in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(key, text)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any  # noqa: N815 - names of http.server

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    stub.root = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub.root
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
