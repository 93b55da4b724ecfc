"""Makes one archive of a run: its episodes, what it was, and the figures it claims. Same run, same bytes."""

from __future__ import annotations

import io
import zipfile
from hashlib import sha256
from pathlib import Path

import msgspec

from planbench_xl import __version__
from planbench_xl.episodes.store import encode_episode, read_episodes
from planbench_xl.errors import StoreError, SubmissionError
from planbench_xl.runs.manifest import MANIFEST, Manifest, read_manifest
from planbench_xl.submissions.claim import CLAIM, EPISODES, RUN, Claim, figures_by_judge
from planbench_xl.world import World, load_world
from planbench_xl.world.storage import write_atomically

SUFFIX = ".pbxl.zip"
DATE = (1980, 1, 1, 0, 0, 0)
"""Date of every file in an archive: nothing in it depends on when it was made."""


def pack(folder: str | Path, out: str | Path | None = None, *, name: str = "", world: World | None = None) -> Path:
    """Make a submission of a run.

    Args:
        folder: The run folder.
        out: The archive; by default the folder's name with `.pbxl.zip`, beside the folder.
        name: What a leaderboard shall call it; by default the agent's name.
        world: The world; loaded from where the run found it if not given.

    Returns:
        The archive.

    Raises:
        StoreError: It is no run folder, or can't be read or written.
        SubmissionError: Episodes are missing, or the run wasn't played on the whole world.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest is None:
        raise StoreError(f"{folder} holds no run: {MANIFEST} is missing. Give the folder of a run.")
    world = world or load_world(manifest.world_source)
    episodes = read_episodes(folder)
    _check_whole(manifest, world, {episode.key for episode in episodes})
    run = msgspec.json.format(msgspec.json.encode(anonymous(manifest)), indent=2) + b"\n"
    stored = b"".join(map(encode_episode, episodes))
    claim = Claim(
        name=name or manifest.agent,
        package=__version__,
        world=world.name,
        world_fingerprint=world.fingerprint,
        setting=manifest.setting.name,
        protocol=manifest.protocol,
        figures=figures_by_judge(world, episodes, len(manifest.keys)),
        files={RUN: sha256(run).hexdigest(), EPISODES: sha256(stored).hexdigest()},
    )
    head = msgspec.json.format(msgspec.json.encode(claim), indent=2) + b"\n"
    path = Path(out) if out is not None else folder.resolve().with_name(folder.resolve().name + SUFFIX)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, _archive({CLAIM: head, RUN: run, EPISODES: stored}))
    except OSError as error:
        raise StoreError(f"{path} can't be written ({error.strerror}). Choose another place with --out.") from error
    return path


def anonymous(manifest: Manifest) -> Manifest:
    """Return a manifest without paths of the machine that the run was played on."""
    prompts = Path(manifest.prompts).name if manifest.prompts else ""
    return msgspec.structs.replace(manifest, world_source=manifest.world, prompts=prompts)


def _check_whole(manifest: Manifest, world: World, keys: set[tuple[str, int]]) -> None:
    left_out = [query for query in world.query if query not in set(manifest.queries)]
    if left_out:
        raise SubmissionError(
            f"The run asks for {len(manifest.queries)} of the world's {len(world.queries)} queries; '{left_out[0]}' is "
            "one that it leaves out. Run all of them into the same folder: leave out --limit, --sample and --queries."
        )
    missing = [key for key in manifest.keys if key not in keys]
    if missing:
        raise SubmissionError(
            f"{len(missing)} of {len(manifest.keys)} episodes are missing, that of query '{missing[0][0]}', epoch "
            f"{missing[0][1]} for one. Run the same command again to play them."
        )


def _archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()
