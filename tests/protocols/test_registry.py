import pytest

from planbench_xl.environment import Action, Setting
from planbench_xl.errors import UsageError
from planbench_xl.protocols import NativeProtocol, TextProtocol, make_protocol, parse_raw, protocol_for


def test_a_protocol_fits_its_setting() -> None:
    setting = Setting(tool_ids=True, all_tools=True)
    text, native = make_protocol("text", None, setting), make_protocol("native", None, setting, mode="call_tool")
    assert isinstance(text, TextProtocol) and isinstance(native, NativeProtocol)
    for protocol in (text, native):
        assert protocol.tool_ids and protocol.all_tools
    assert not make_protocol("text").tool_ids


@pytest.mark.parametrize("name", ["text/1", "text/1+0123456789ab", "reference", "release"])
def test_tagged_text_is_read_by_the_name_of_the_protocol(name: str) -> None:
    raw = "<final_answer>5</final_answer>"
    assert protocol_for(name) == "text"
    assert parse_raw(name, raw) == Action("answer", "5", raw)


@pytest.mark.parametrize("name", ["native/1", "native/1:call_tool", "native/1:functions+0123456789ab"])
def test_function_calls_are_too(name: str) -> None:
    raw = '{"function":"final_answer","arguments":"{\\"answer\\":\\"5\\"}"}'
    assert protocol_for(name) == "native"
    assert parse_raw(name, raw) == Action("answer", "5", raw)


def test_an_unknown_protocol() -> None:
    with pytest.raises(UsageError, match="no protocol 'smoke/1'"):
        parse_raw("smoke/1", "")
