"""``gpu-advisor schema``."""

from __future__ import annotations

import pytest
from running_commands import Command


def test_alone_it_lists_the_schemas(command: Command) -> None:
    text, as_json = command("schema"), command("schema", "--format", "json")

    assert text.code == as_json.code == 0
    names = [line.split()[0] for line in text.out.splitlines()]
    assert names == list(as_json.json)
    assert {"answers", "size", "rules"} <= set(names)


def test_every_listed_schema_is_printed(command: Command) -> None:
    for name in command("schema", "--format", "json").json:
        ran = command("schema", name)

        assert ran.code == 0, ran.err
        assert ran.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert ran.json["type"] == "object"


def test_the_size_schema_names_what_size_prints(command: Command) -> None:
    schema = command("schema", "size").json
    printed = command("size", "--model", "llama-3.1-8b", "--gpu", "l4", "--format", "json").json

    assert set(schema["required"]) <= set(printed) == set(schema["properties"])


def test_the_answers_schema_describes_the_keys(command: Command) -> None:
    schema = command("schema", "answers").json

    assert "context_tokens" in schema["properties"]["workload"]["properties"]


def test_a_schema_that_is_not_built_yet_says_so(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = {"diagnosis": ("advisor.no_such_room.diagnosis", "Diagnosis")}
    monkeypatch.setattr("advisor.cli.schema._RESULTS", gone)
    ran = command("schema", "diagnosis", "--format", "json")

    assert ran.code == 2
    assert ran.out == ""
    assert "not part of this version" in ran.error["message"]
    assert "diagnosis" not in ran.error["allowed"]
    assert "diagnosis" not in command("schema").out


def test_a_misspelt_schema_names_the_nearest(command: Command) -> None:
    ran = command("schema", "ruels", "--format", "json")

    assert ran.code == 2
    assert ran.error["nearest"] == ["rules"]
