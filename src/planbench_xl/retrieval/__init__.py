"""Retrieval: the request schema, the retrievers, distractors and the order of the result."""

from __future__ import annotations

from planbench_xl.retrieval.config import RetrievalConfig, RetrieverName, check_retrieval
from planbench_xl.retrieval.distractors import final_order, mix_distractors
from planbench_xl.retrieval.hashing import PhraseMatcher
from planbench_xl.retrieval.making import make_retriever
from planbench_xl.retrieval.reference import ReferenceRetriever
from planbench_xl.retrieval.request import (
    BY_BOTH,
    BY_INPUTS,
    BY_OUTPUT,
    BY_QUERY,
    LARGEST_TOP_K,
    Request,
    RequestError,
    normalise,
)
from planbench_xl.retrieval.retriever import Retrieval, Retriever

__all__ = [
    "BY_BOTH",
    "BY_INPUTS",
    "BY_OUTPUT",
    "BY_QUERY",
    "LARGEST_TOP_K",
    "PhraseMatcher",
    "ReferenceRetriever",
    "Request",
    "RequestError",
    "Retrieval",
    "RetrievalConfig",
    "Retriever",
    "RetrieverName",
    "check_retrieval",
    "final_order",
    "make_retriever",
    "mix_distractors",
    "normalise",
]
