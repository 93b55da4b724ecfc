"""Protocols: how actions and observations are put into words, for models that read and write them."""

from __future__ import annotations

from planbench_xl.protocols.prompts import Prompts, load_prompts
from planbench_xl.protocols.text import TEXT_PROTOCOL, Message, TextProtocol

__all__ = ["TEXT_PROTOCOL", "Message", "Prompts", "TextProtocol", "load_prompts"]
