"""The checklist: what the customer asks for, parsed once, frozen after."""

from planning.checklist.model import Checklist

__all__ = ["Checklist"]
