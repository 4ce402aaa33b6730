#!/usr/bin/env python3
# Writes Sources/PredicateLanguage/Generated/FoldingTables.swift from the Unicode data of this Python.
# SPDX-License-Identifier: Apache-2.0
#
#   Packaging/dev/unicode/folding-tables.py > Sources/PredicateLanguage/Generated/FoldingTables.swift
import sys
import unicodedata

SCALARS = [c for c in range(0x80, 0x110000) if not 0xD800 <= c <= 0xDFFF]
HANGUL = range(0xAC00, 0xD7A4)  # decomposed and composed by arithmetic instead


def nfd(text):
    return unicodedata.normalize("NFD", text)


def table(name, comment, mapping):
    """Sorted keys, the place where each key's scalars begin, and the scalars one after another."""
    keys = sorted(mapping)
    starts, values = [], []
    for key in keys:
        starts.append(len(values))
        values += [ord(c) for c in mapping[key]]
    starts.append(len(values))
    print(f"    /// {comment}")
    print(f"    static let {name} = ScalarTable(")
    literal("keys", keys, ",")
    literal("starts", starts, ",")
    literal("values", values, ")")
    print()


def literal(label, numbers, end):
    print(f"        {label}: [")
    line = "           "
    for number in numbers:
        word = f" {number:#x},"
        if len(line) + len(word) > 116:
            print(line)
            line = "           "
        line += word
    print(line)
    print(f"        ]{end}")


decompositions = {c: nfd(chr(c)) for c in SCALARS if c not in HANGUL and nfd(chr(c)) != chr(c)}
folds = {c: nfd(chr(c).casefold()) for c in SCALARS if chr(c).casefold() != chr(c) and nfd(chr(c)) == chr(c)}
pairs = {}
for c in SCALARS:
    mapping = unicodedata.decomposition(chr(c))
    if not mapping or mapping.startswith("<") or " " not in mapping:
        continue
    first, second = (int(part, 16) for part in mapping.split())
    if unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(c):
        pairs[(first, second)] = c

print("// Canonical decompositions, case folds and compositions of Unicode " + unicodedata.unidata_version + ".")
print("// Written by Packaging/dev/unicode/folding-tables.py; not to be edited by hand.")
print("// SPDX-License-Identifier: Apache-2.0")
print()
print("/// Unicode's tables for folding text, Hangul left out (it is arithmetic) and ASCII too.")
print("enum FoldingTables {")
table("decompositions", "Full canonical decompositions.", decompositions)
table("folds", "Full case folds of scalars that do not decompose, themselves decomposed.", folds)
keys = sorted(pairs)
print("    /// Primary composites: `first << 32 | second` of each pair, sorted.")
print("    static let compositionPairs: [UInt64] = [")
literal_lines = []
line = "       "
for first, second in keys:
    word = f" {first << 32 | second:#x},"
    if len(line) + len(word) > 116:
        print(line)
        line = "       "
    line += word
print(line)
print("    ]")
print()
print("    /// The composition of each pair.")
print("    static let compositions: [UInt32] = [")
line = "       "
for key in keys:
    word = f" {pairs[key]:#x},"
    if len(line) + len(word) > 116:
        print(line)
        line = "       "
    line += word
print(line)
print("    ]")
print("}")
sys.stderr.write(f"{len(decompositions)} decompositions, {len(folds)} folds, {len(pairs)} compositions\n")
