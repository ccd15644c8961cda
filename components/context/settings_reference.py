"""The reference page of the settings: what a stack's configuration may say, key by key.

`.venv/bin/python -m components.context.settings_reference > docs/reference/settings.md`
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import components
from components.context.settings_keys import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOM: Final = Path(str(components.__file__)).parent  # every file of it is read
SECTION: Final = "atoll"

_HEAD: Final = """\
# The settings

<!-- Generated from components/context/settings_reference.py by: .venv/bin/python -m components.context.settings_reference -->

What the lock cannot know: ids that your cloud gave, secrets, and switches of one moment. They lie below `config:` in
`stacks/Pulumi.STACK.yaml` and change no price. Write that file by hand, or with Pulumi:

```text
pulumi config set atoll:zone US-EAST-04A --stack my-team
pulumi config set --path 'atoll:poolZones.train' us-central1-a --stack my-team
pulumi config set --secret atoll:linkKey --stack my-team
```

| setting | targets | meaning | default | read in |
|---|---|---|---|---|
"""


def text() -> str:
    """The page, as it is committed."""
    read = readers()
    rows = (
        f"| `{each.key}` | {each.targets} | {each.meaning} | {each.default} | `components/{read.get(each.key, '')}` |\n"
        for each in SETTINGS
    )
    return _HEAD + "".join(rows)


def readers() -> dict[str, str]:
    """Every key that the components read, with the file that does; found in their syntax, so that none is forgotten."""
    found: dict[str, str] = {}
    for path in sorted(ROOM.rglob("*.py")):
        source = path.read_text()
        if "Config(" in source:
            tree = ast.parse(source)
            found |= dict.fromkeys(_keys(tree), path.relative_to(ROOM).as_posix())
    return found


def _keys(tree: ast.Module) -> Iterator[str]:
    words = {
        node.target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and (section := _section(call)):
            for argument in call.args:
                word = words.get(argument.id) if isinstance(argument, ast.Name) else getattr(argument, "value", None)
                if isinstance(word, str):
                    yield f"{section}:{word}"


def _section(call: ast.Call) -> str:
    """Section of the configuration that a call reads from; "" for any other call."""
    first = call.args[0] if call.args else None
    reads = isinstance(call.func, ast.Attribute) and call.func.attr.startswith(("get", "require"))
    source = call.func.value if reads and isinstance(call.func, ast.Attribute) else first
    if isinstance(source, ast.Name):
        return SECTION if source.id == "config" else ""
    if reads and isinstance(source, ast.Call) and source.args and isinstance(source.args[0], ast.Constant):
        return str(source.args[0].value)
    return ""


if __name__ == "__main__":
    sys.stdout.write(text())
