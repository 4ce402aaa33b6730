#!/usr/bin/env python3
# Writes Tests/PredicateLanguageTests/Fixtures/folding.jsonl: pairs of texts, and under which options Python's Unicode
# data says that they are equal.
# SPDX-License-Identifier: Apache-2.0
#
#   Packaging/dev/unicode/folding-cases.py > Tests/PredicateLanguageTests/Fixtures/folding.jsonl
import json
import random
import unicodedata

generator = random.Random(20261121)


def nfd(text):
    return unicodedata.normalize("NFD", text)


def is_mark(character):
    return unicodedata.category(character).startswith("M")


def drop_marks(text):
    """Combining marks after a base below U+0510 go; others stay."""
    result, drops = "", False
    for character in nfd(text):
        if is_mark(character):
            if drops:
                continue
        else:
            drops = ord(character) < 0x510
        result += character
    return result


def fold_case(text):
    return "".join(nfd(character.casefold()) for character in nfd(text))


FOLDS = {
    "": lambda text: text,
    "c": fold_case,
    "d": drop_marks,
    "cd": lambda text: fold_case(drop_marks(text)),
    "n": lambda text: unicodedata.normalize("NFC", text),
}

RANGES = [
    (0x20, 0x7F), (0xA0, 0x250), (0x300, 0x36F), (0x370, 0x530), (0x590, 0x6FF), (0x900, 0x980), (0x1100, 0x1200),
    (0x1E00, 0x2000), (0x2100, 0x2190), (0x3040, 0x3100), (0xAC00, 0xAD00), (0xF900, 0xFA80), (0xFB00, 0xFB50),
    (0x10400, 0x10450), (0x1D15E, 0x1D1C0), (0x1F300, 0x1F600),
]


def text():
    return "".join(chr(generator.randrange(*generator.choice(RANGES))) for _ in range(generator.randrange(1, 6)))


def variant(text):
    kind = generator.randrange(8)
    if kind == 0:
        return nfd(text)
    if kind == 1:
        return unicodedata.normalize("NFC", text)
    if kind == 2:
        return text.upper()
    if kind == 3:
        return text.lower()
    if kind == 4:
        return drop_marks(text)
    if kind == 5:
        marks = "".join(chr(generator.randrange(0x300, 0x370)) for _ in range(2))
        place = generator.randrange(len(text) + 1)
        return text[:place] + marks + text[place:]
    if kind == 6:
        return nfd(text).swapcase()
    return "".join(reversed(nfd(text)))


def case(a, b):
    print(json.dumps({"a": a, "b": b, "equal": [name for name, fold in FOLDS.items() if fold(a) == fold(b)]}))


for _ in range(1500):
    a = text()
    case(a, variant(a))
# Marks in every order beside each other.
for _ in range(200):
    base = generator.choice("aeiouAEIOU가かαЖאش")
    marks = [chr(generator.randrange(0x300, 0x370)) for _ in range(generator.randrange(2, 5))]
    shuffled = marks[:]
    generator.shuffle(shuffled)
    case(base + "".join(marks), base + "".join(shuffled))
