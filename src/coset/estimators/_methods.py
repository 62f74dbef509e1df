"""Every method by the name that the command line and saved models use."""

from __future__ import annotations

from typing import Any

from ._classifying import Diet, Supervised
from ._content import ContentBlocks
from ._contrastive import Contrastive

METHODS: dict[str, Any] = {
    "contrastive": Contrastive,
    "content-blocks": ContentBlocks,
    "supervised": Supervised,
    "diet": Diet,
}
