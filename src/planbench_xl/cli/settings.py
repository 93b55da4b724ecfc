"""`planbench-xl settings`."""

from __future__ import annotations

import click

from planbench_xl.cli.common import examples, json_option, print_json


@click.command(
    epilog=examples(
        "planbench-xl settings",
        "planbench-xl settings one-path-longest --json",
    )
)
@click.argument("name", required=False)
@json_option
def settings(name: str | None, as_json: bool) -> None:
    """List the named settings, or show every field of one."""
    import msgspec

    from planbench_xl.runs.presets import find_preset, flat_fields, presets

    if name is None:
        found = presets().values()
        if as_json:
            print_json([{"name": preset.name, "description": preset.description} for preset in found])
            return
        width = max(len(preset.name) for preset in found)
        for preset in found:
            click.echo(f"{preset.name:<{width}}  {preset.description}")
        return
    preset = find_preset(name)
    plain = msgspec.to_builtins(preset.setting)
    if as_json:
        print_json({"description": preset.description, "setting": plain})
        return
    click.echo(f"{preset.name}: {preset.description}")
    for path, value in flat_fields(plain).items():
        click.echo(f"  {path} = {msgspec.json.encode(value).decode()}")
