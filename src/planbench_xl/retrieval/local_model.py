"""An embedding model in a folder: `model.onnx`, run by ONNX Runtime, and `tokenizer.json`. Nothing is downloaded.

A token-wise output is averaged over the tokens, as models of the Sentence Transformers family want it; an output of
one vector per text is taken as it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planbench_xl.errors import RetrieverError
from planbench_xl.retrieval.dense import load_numpy

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
TOKENS = 256
"""So many tokens of a text are read."""


class LocalModel:
    """Embeds texts with a model in a folder.

    The identity is a hash of the files: a folder may move, and another model under the same name is another model.

    Raises:
        RetrieverError: The packages, a file of the folder or an input that the model needs are missing.
    """

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        missing = [name for name in (MODEL, TOKENIZER) if not (folder / name).is_file()]
        if missing:
            raise RetrieverError(
                f"{folder} is no embedding model: it has no {' and no '.join(missing)}. Set retrieval.model to a "
                f"folder with {MODEL} and {TOKENIZER}, or name an endpoint with retrieval.endpoint."
            )
        self.folder = folder
        self.identity = f"onnx:{_digest(folder)}"
        self._session, self._tokenizer = _load(folder)
        self._inputs = {given.name for given in self._session.get_inputs()}
        unknown = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise RetrieverError(f"{folder / MODEL}: takes `{min(unknown)}`, so it is no model of texts. Use another.")

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the embedding of each text, of length 1.

        Each text is run alone: in a batch, a quantised model's embedding of a text depends on the others.
        """
        np = load_numpy()
        return [self._run(np, text).astype("<f4").tobytes() for text in texts]

    def _run(self, np: Any, text: str) -> Any:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            (output, *_) = self._session.run(None, {name: feeds[name] for name in self._inputs})
        except Exception as error:
            raise RetrieverError(f"{self.folder / MODEL} can't be run ({error}). Use another model.") from error
        vector = output[0].mean(axis=0) if output.ndim == 3 else output[0]
        return vector / max(float(np.linalg.norm(vector)), 1e-12)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in (MODEL, TOKENIZER):
        with (folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def _load(folder: Path) -> tuple[Any, Any]:
    """Return the session and the tokenizer of a folder."""
    try:
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer
    except ImportError as error:
        raise RetrieverError(
            f"A local embedding model needs {error.name}. Install it with `pip install 'planbench-xl[dense]'`."
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        options = SessionOptions()
        # One thread gives the same sums in the same order; workers are the way to use more processors.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
    # Both raise plain exceptions of their own.
    except Exception as error:
        raise RetrieverError(f"{folder}: the embedding model can't be loaded ({error}). Use another.") from error
    tokenizer.enable_truncation(TOKENS)
    tokenizer.no_padding()
    return session, tokenizer
