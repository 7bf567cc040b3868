"""Laws of reading: nothing raises, everything is legal, echoes and options are read back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading_cases import KNOWLEDGE, QUESTIONS, reply, sentence, values
from test_reading_denials import BESIDE, TURNED, UNREAD
from test_reading_offers import ACROSS_KEYS, OFFERED
from test_reading_replies import REPLIES
from test_reading_sentences import SENTENCES

from advisor.answers.plain import thawed
from advisor.answers.questions import same_word
from advisor.answers.validate import read_answers
from advisor.interview.reading.answer import validated
from advisor.interview.reading.lexicon import Meaning, lexicon_of, option_words
from advisor.interview.reading.model import Reading, Understood
from advisor.interview.reading.words import phrase_key, words_of

_BOOK = lexicon_of(KNOWLEDGE).book
_TEXTS = [text for text, *_ in (*SENTENCES, *TURNED, *UNREAD, *BESIDE, *OFFERED, *ACROSS_KEYS)]
_PIECES = [
    *(say for phrase in _BOOK.phrases for say in phrase.say),
    *(say for amount in _BOOK.amounts for say in (*amount.behind, *amount.before)),
    *(say for unit in _BOOK.units for say in unit.say),
    *(
        word
        for name in ("negations", "doubts", "about", "at_most", "turns")
        for word in _BOOK.words(name)
    ),
    *(
        "32k",
        "1.000",
        "-5",
        "0",
        "8x",
        "$",
        "1e9",
        "7b",
        "two",
        "a",
        "hundred",
        "(",
        ")",
        ",",
        "?",
        "or",
        "and",
        "/",
    ),
    *(
        "llama",
        "70b",
        "3.3",
        "H100",
        "80GB",
        "rtx",
        "4090",
        "x8",
        "qwen3",
        "deepseek",
        "nvidia",
        "GB",
    ),
    *("\u2019", "\u00a0", "\U0001f600", "\u6a21\u578b", "\ud7ff", "i\u0307", "\u00df"),
]
_MANY = settings(
    deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), max_examples=150
)


def all_readings(reading: Reading) -> list[Understood]:
    return [*reading.found, *(one for offer in reading.ambiguous for one in offer.readings)]


def check(text: str, reading: Reading) -> None:
    """Hold a reading against what is promised of every reading."""
    keys = [one.key for one in reading.found]
    assert len(keys) == len(set(keys))
    for one in all_readings(reading):
        start, end = one.span
        assert one.text == text[start:end]
        assert one.text
        assert one.understood
        answers = read_answers({one.key: thawed(one.value)})
        if one.value == "unknown":
            assert answers.unknown == {one.key}
        else:
            assert dict(answers.values) == {one.key: one.value}
    for offer in reading.ambiguous:
        assert offer.text == text[slice(*offer.span)]
        assert offer.readings
    for rest in reading.rest:
        assert rest in text


@pytest.mark.parametrize("text", _TEXTS)
def test_every_reading_of_the_sentences_is_legal_and_in_its_place(text: str) -> None:
    check(text, sentence(text))


@pytest.mark.parametrize("text", sorted(set(_TEXTS)))
def test_the_echo_of_a_reading_is_read_as_the_same_answer(text: str) -> None:
    for one in all_readings(sentence(text)):
        again = values(reply(one.key, one.understood))
        assert again.get(one.key) == one.value, one


@pytest.mark.parametrize(("key", "text"), [(key, text) for key, text, _ in REPLIES])
def test_the_echo_of_a_reply_is_read_as_the_same_answer(key: str, text: str) -> None:
    for one in all_readings(reply(key, text)):
        if one.value == "unknown" and one.key == "symptoms":
            continue
        assert values(reply(one.key, one.understood)).get(one.key) == one.value, one


def _options() -> list[tuple[str, str, str]]:
    return [
        (key, choice.id, word)
        for key, question in QUESTIONS.items()
        if question.kind == "enum"
        for place, choice in enumerate(question.values, 1)
        for word in dict.fromkeys((choice.id, choice.label, *choice.synonyms, str(place)))
    ]


def test_every_id_label_synonym_and_number_of_an_option_is_read_as_that_option() -> None:
    wrong = []
    for key, choice, word in _options():
        expected = (choice,) if QUESTIONS[key].list else choice
        reading = reply(key, word)
        if values(reading) != {key: expected} or reading.ambiguous or reading.problem:
            wrong.append((key, choice, word))
    assert wrong == []


def test_a_shortened_label_is_that_option_or_offered_with_the_others_of_that_name() -> None:
    for key, question in QUESTIONS.items():
        for choice in question.values if question.kind == "enum" else ():
            full = {same_word(w) for c in question.values for w in (c.id, c.label, *c.synonyms)}
            for word in option_words(choice):
                if same_word(word) in full and word not in {choice.id, *choice.synonyms}:
                    continue  # spelt like another option in full
                found = {one.value for one in all_readings(reply(key, word))}
                assert (choice.id,) in found or choice.id in found, (key, word)


@_MANY
@given(st.text(max_size=80))
def test_no_text_makes_the_readers_raise(text: str) -> None:
    check(text, sentence(text))
    for key in ("workload.concurrency", "hardware.gpu", "platform.capacity", "platform.env"):
        check(text, reply(key, text))


@_MANY
@given(
    st.lists(st.sampled_from(_PIECES), min_size=1, max_size=9),
    st.sampled_from([" ", "-", ", ", ""]),
    st.sampled_from(sorted(QUESTIONS)),
)
def test_no_mixture_of_known_words_breaks_a_promise(
    pieces: list[str], between: str, key: str
) -> None:
    text = between.join(pieces)
    check(text, sentence(text))
    check(text, reply(key, text))


@_MANY
@given(st.sampled_from([text for text, _ in SENTENCES]), st.data())
def test_case_and_outer_space_do_not_matter(text: str, data: st.DataObject) -> None:
    changed = data.draw(st.sampled_from([text.upper, text.lower, lambda: f"  {text} "]))()
    keeps_units = "Gb/s" not in text and "400G" not in text and "GB" not in text
    if keeps_units or changed.strip() == text:
        assert set(values(sentence(changed))) == set(values(sentence(text)))


def test_a_text_that_is_too_long_is_refused_and_not_searched() -> None:
    reading = sentence("llama " * 1000)
    assert reading.problem is not None
    assert reading.problem.code == "text_too_long"
    assert not reading.found


_DENIALS = (
    "no {}",
    "without {}",
    "we do not use any {}",
    "{} is not available",
    "{}? no",
    "instead of {}",
    "do we need {}?",
)


def _said_by(meaning: Meaning) -> set[tuple[str, object]]:
    """Return the answers that a phrase gives, as answers files have them."""
    said = (*meaning.gives, *meaning.either, *meaning.implies)
    return {(one.key, validated(QUESTIONS[one.key], one.value)) for one in said}


@pytest.mark.parametrize("form", _DENIALS)
def test_no_phrase_is_read_as_so_when_it_is_denied_or_asked(form: str) -> None:
    lexicon = lexicon_of(KNOWLEDGE)
    wrong = []
    for phrase, meaning in _phrases():
        text = form.format(phrase)
        own = _said_by(lexicon.phrases.get(phrase_key(text), Meaning()))
        read = {(one.key, one.value) for one in all_readings(sentence(text))}
        if read & (_said_by(meaning) - own):
            wrong.append((text, read))
    assert wrong == []


def _phrases() -> list[tuple[str, Meaning]]:
    """Return every wording that says something by itself, denials in words apart."""
    lexicon = lexicon_of(KNOWLEDGE)
    negations = lexicon.lists["negations"]
    says = [say for phrase in lexicon.book.phrases for say in phrase.say]
    for options in lexicon.book.options:
        says += [w for c in QUESTIONS[options.key].values for w in (c.id, *c.synonyms)]
    told = [(say, lexicon.phrases.get(phrase_key(say))) for say in dict.fromkeys(says)]
    return [
        (say, meaning)
        for say, meaning in told
        if meaning is not None
        and not any(w.text in negations for w in words_of(say))
        and "one" not in say.split()  # a number is asked for by "do we need one node?"
    ]


@pytest.mark.parametrize("form", ["no {}", "we don't use {}"])
def test_no_option_is_read_from_a_reply_that_denies_it(form: str) -> None:
    wrong = []
    for key, choice, word in _options():
        text = form.format(word)
        named = {same_word(w) for c in QUESTIONS[key].values for w in (c.id, c.label, *c.synonyms)}
        denying = word.split()[0].casefold() in {"no", "not", "none", "nothing", "nobody", "off"}
        if same_word(text) in named or word.isdigit() or denying or set(",(") & set(word):
            continue
        value = (choice,) if QUESTIONS[key].list else choice
        if any((one.key, one.value) == (key, value) for one in all_readings(reply(key, text))):
            wrong.append((key, text))
    assert wrong == []


@pytest.mark.parametrize("form", ["no {}", "not {}", "without {}", "{} is not available"])
def test_no_gpu_or_model_is_read_where_it_is_denied(form: str) -> None:
    names = [gpu.name for gpu in KNOWLEDGE.gpus.values()] + ["H100", "A100 80GB", "4090"]
    names += [model.name for model in list(KNOWLEDGE.models.values())[::7]]
    for name in names:
        if "," in name or "(" in name:
            continue  # a denial ends where its clause does
        keys = {one.key for one in all_readings(sentence(form.format(name)))}
        assert not keys & {"hardware.gpu", "workload.model"}, name
