"""A file that somebody hands in: opened only where it is one, read up to a limit, refused in one sentence.

A named pipe without a writer would block for ever, a device never ends, and a symbolic link to itself has no content.
Pipes that the shell has opened already ("/dev/stdin", "<(command)") are read like files, up to the same limit.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

MEGABYTE: Final = 10**6
OPENED_BY_SHELL: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
# What YAML calls not printable (YAML 1.1, section 4.1.1; PyYAML's Reader.NON_PRINTABLE): ESC, NUL, lone surrogates.
CONTROL_CHARACTER: Final = re.compile("[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
AS_UTF_8: Final = "save it as UTF-8 text"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_REASONS: Final = (
    (FileNotFoundError, "there is no such file"),
    (IsADirectoryError, "this is a folder, not a file"),
    (PermissionError, "no permission to read it"),
)


class UnreadableFileError(Exception):
    """A file that cannot be used, without its name.

    Attributes:
        is_missing: whether there is no such file at all.
        line: that holds the fault; 0 where it has no place.
    """

    def __init__(
        self, reason: str, *, line: int = 0, column: int = 0, hint: str = "", is_missing: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column
        self.hint = hint
        self.is_missing = is_missing


def open_file(path: Path) -> BufferedReader:
    """A file for reading, once it is a regular file.

    Raises:
        UnreadableFileError: it is missing, a folder, a named pipe, a device, or not readable.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _unreadable(error) from error
    try:
        _refuse_special(os.fstat(handle).st_mode, path)
        os.set_blocking(handle, True)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_content(path: Path, *, most_bytes: int) -> bytes:
    """The bytes of a file.

    Raises:
        UnreadableFileError: as `open_file`, or it holds more than `most_bytes`.
    """
    try:
        with open_file(path) as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise _unreadable(error) from error
    refuse_long(len(content), most_bytes=most_bytes)
    return content


def refuse_long(length: int, *, most_bytes: int) -> None:
    """Refuse what is over its limit.

    Raises:
        UnreadableFileError: it is.
    """
    if length > most_bytes:
        raise UnreadableFileError(f"over {most_bytes // MEGABYTE or most_bytes / MEGABYTE:g} MB")


def decode_text(content: bytes) -> str:
    """UTF-8 text without its mark at the beginning.

    Raises:
        UnreadableFileError: other bytes; names the line.
    """
    if content.startswith(_UTF_16):
        raise UnreadableFileError("it is UTF-16 text", line=1, hint=AS_UTF_8)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableFileError(f"byte {error.start + 1} is not UTF-8 text", line=line, hint=AS_UTF_8) from error


def refuse_control_characters(text: str) -> None:
    """Refuse a text with characters that would steer a terminal, or that are half a character.

    Raises:
        UnreadableFileError: names the first, with its line and column.
    """
    if (found := CONTROL_CHARACTER.search(text)) is None:
        return
    before = text[: found.start()].splitlines(keepends=True)
    inside = bool(before) and not before[-1].endswith("\n")
    line, column = (len(before), len(before[-1]) + 1) if inside else (len(before) + 1, 1)
    reason = f"character U+{ord(found[0]):04X} is not text"
    raise UnreadableFileError(reason, line=line, column=column, hint=AS_UTF_8)


def read_text(path: Path, *, most_bytes: int = MEGABYTE) -> str:
    """The text of a file: UTF-8, without control characters.

    Raises:
        UnreadableFileError: as `read_content`, or it is no such text.
    """
    text = decode_text(read_content(path, most_bytes=most_bytes))
    refuse_control_characters(text)
    return text


def _refuse_special(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise UnreadableFileError("this is a folder, not a file")
    if not stat.S_ISREG(mode) and not str(path).startswith(OPENED_BY_SHELL):
        kind = "named pipe" if stat.S_ISFIFO(mode) else "device"
        raise UnreadableFileError(f"this is a {kind}, not a file")


def _unreadable(error: OSError | ValueError) -> UnreadableFileError:
    """The fault in words; a path with NUL in it is a ValueError."""
    for kind, words in _REASONS:
        if isinstance(error, kind):
            return UnreadableFileError(words, is_missing=kind is FileNotFoundError)
    code = error.errno if isinstance(error, OSError) else None
    return UnreadableFileError(os.strerror(code) if code else "cannot be read")
