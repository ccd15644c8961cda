"""The one CSV of a ZIP archive, line by line: never more than a limit in memory or unpacked, whatever it claims."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING, Final

from operations.price_refresh.answers import EndlessLineError, split_lines
from operations.price_refresh.model import PriceReadError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

LARGEST_ARCHIVE: Final = 32 << 20  # bytes; gpuhunt's largest had some megabytes in 2026-08
LARGEST_TABLE: Final = 256 << 20  # unpacked
BLOCK: Final = 1 << 18
LONGEST_LINE: Final = 1 << 16  # bytes; a row has some hundreds
ENCRYPTED: Final = 0x1
_DAMAGES: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError)


def zip_lines(archive: bytes, *, member: str, name: str) -> Iterator[str]:
    """The lines of `member`, which must be all that the archive holds.

    Args:
        name: of the archive, for messages.

    Raises:
        PriceReadError: no archive, cut off, another or a second file in it, encrypted, or larger than the limit.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            entry = _find_entry(opened, member=member, name=name)
            with opened.open(entry) as packed:
                lines = split_lines(_unpack(packed, name=name), longest=LONGEST_LINE)
                yield from (f"{line.decode()}\n" for line in lines)
    except UnicodeDecodeError as error:
        raise PriceReadError(f"{name}: {member} is no UTF-8") from error
    except EndlessLineError as error:
        raise PriceReadError(f"{name} has no lines of a table") from error
    except _DAMAGES as error:
        raise PriceReadError(f"{name} is no ZIP archive, or was cut off") from error


def _find_entry(opened: zipfile.ZipFile, *, member: str, name: str) -> zipfile.ZipInfo:
    entries = opened.infolist()
    others = [each.filename for each in entries if each.filename != member]
    if len(entries) != 1 or others:
        found = repr(others[0][:60]) if others else f"{len(entries)} files"
        raise PriceReadError(f"{name} holds {found}; {member} alone is expected: the source has changed its form")
    if entries[0].flag_bits & ENCRYPTED:
        raise PriceReadError(f"{name}: {member} is encrypted")
    return entries[0]


def _unpack(packed: IO[bytes], *, name: str) -> Iterator[bytes]:
    """What is unpacked, in blocks; the size in the entry is the sender's word, so that what comes is counted."""
    size = 0
    while block := packed.read(BLOCK):
        size += len(block)
        if size > LARGEST_TABLE:
            raise PriceReadError(f"{name} unpacks to more than {LARGEST_TABLE >> 20} MiB")
        yield block
