"""Retrieval: the request schema, the retrievers, distractors and the order of the result."""

from __future__ import annotations

from planbench_xl.retrieval.config import RetrievalConfig
from planbench_xl.retrieval.distractors import final_order, mix_distractors
from planbench_xl.retrieval.hashing import PhraseMatcher
from planbench_xl.retrieval.reference import ReferenceRetriever, Retrieval, reference_retriever
from planbench_xl.retrieval.request import BY_BOTH, BY_INPUTS, BY_OUTPUT, Request, RequestError, normalise

__all__ = [
    "BY_BOTH",
    "BY_INPUTS",
    "BY_OUTPUT",
    "PhraseMatcher",
    "ReferenceRetriever",
    "Request",
    "RequestError",
    "Retrieval",
    "RetrievalConfig",
    "final_order",
    "mix_distractors",
    "normalise",
    "reference_retriever",
]
