"""The vocabulary of answers and the reader of answers files.

Nothing is imported here: ``--help`` must not pay for YAML or pydantic. Use

* :func:`advisor.answers.validate.read_answers` to read a file, standard input or a mapping,
* :func:`advisor.answers.questions.load_questions` for the vocabulary itself,
* :func:`advisor.answers.schema.answers_schema` for the published JSON Schema,
* :func:`advisor.answers.dump.dump_answers` to write answers as YAML.
"""
