"""A model in a folder: what is wrong with one, and a real one where one is named."""

import os
import struct
from pathlib import Path

import pytest

from planbench_xl.errors import RetrieverError
from planbench_xl.retrieval.local_model import LocalModel

MODEL_FOLDER = "PLANBENCH_XL_TEST_EMBEDDINGS"
"""Environment variable that names a folder with model.onnx and tokenizer.json, for the test of a real model."""


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(RetrieverError, match=r"no model\.onnx and no tokenizer\.json.*retrieval\.model"):
        LocalModel(tmp_path / "none")
    (tmp_path / "model.onnx").write_bytes(b"x")
    with pytest.raises(RetrieverError, match=r"it has no tokenizer\.json"):
        LocalModel(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(RetrieverError, match=r"can't be loaded|planbench-xl\[dense\]"):
        LocalModel(tmp_path)


@pytest.mark.slow
def test_a_real_model() -> None:
    for name in ("numpy", "onnxruntime", "tokenizers"):
        pytest.importorskip(name)
    folder = os.environ.get(MODEL_FOLDER)
    if not folder:
        pytest.skip(f"set {MODEL_FOLDER} to the folder of an embedding model")
    model = LocalModel(folder)
    texts = ["the amount of the refund", "how much money is paid back", "a train station", "", "x" * 5_000]
    vectors = [struct.unpack(f"<{len(vector) // 4}f", vector) for vector in model.embed(texts)]
    assert {len(vector) for vector in vectors} == {len(vectors[0])}

    def likeness(a: int, b: int) -> float:
        return sum(x * y for x, y in zip(vectors[a], vectors[b], strict=True))

    assert all(likeness(n, n) == pytest.approx(1, abs=1e-3) for n in range(5))
    assert likeness(0, 1) > likeness(0, 2) + 0.1
    assert model.embed(texts[:1]) == model.embed(texts)[:1]
    assert model.identity == LocalModel(folder).identity
