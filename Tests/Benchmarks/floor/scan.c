// What a scan of names takes at the least: a plain loop over the same names in one array, each ended by a NUL.
//
//   find DIRECTORY -mindepth 1 -printf '%s %f\0' | scan ROUNDS QUERY [ARGUMENT...]
//
//   prefix TEXT             memcmp at the beginning
//   suffix TEXT             memcmp at the end
//   larger SIZE TEXT        a size above that, then memcmp at the end
//   infix TEXT              strcasestr
//   pattern TEXT            fnmatch without regard to case
//   expression TEXT JIT     PCRE2 on the whole name, with its JIT (1) or without (0)
//
// Prints the milliseconds of each round and how many match, as JSON.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#define PCRE2_CODE_UNIT_WIDTH 8
#include <err.h>
#include <fnmatch.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

static char *names;
static size_t nameBytes, nameRoom;
// Where each name begins, with one more for the end.
static uint32_t *starts;
static int64_t *sizes;
static size_t count, room;

static void add(int64_t size, const char *name, size_t length) {
    if (count + 2 > room) {
        room = room ? room * 2 : 1 << 16;
        starts = realloc(starts, room * sizeof *starts);
        sizes = realloc(sizes, room * sizeof *sizes);
    }
    if (nameBytes + length + 1 > nameRoom) {
        nameRoom = nameRoom ? nameRoom * 2 : 1 << 20;
        names = realloc(names, nameRoom);
    }
    if (!starts || !sizes || !names) err(1, "realloc");
    memcpy(names + nameBytes, name, length + 1);
    starts[count] = (uint32_t)nameBytes;
    sizes[count] = size;
    nameBytes += length + 1;
    starts[++count] = (uint32_t)nameBytes;
}

static inline size_t lengthOf(size_t place) { return starts[place + 1] - starts[place] - 1; }

static inline bool ends(size_t place, const char *text, size_t length) {
    return lengthOf(place) >= length && memcmp(names + starts[place + 1] - 1 - length, text, length) == 0;
}

static pcre2_code *code;
static pcre2_match_data *match;

static void compile(const char *text, bool jit) {
    int error;
    PCRE2_SIZE offset;
    code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED, &error, &offset, NULL);
    if (!code) errx(64, "%s: error %d at %zu", text, error, offset);
    if (jit && pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0) errx(1, "no JIT");
    match = pcre2_match_data_create_from_pattern(code, NULL);
}

static size_t scan(const char *query, const char *text, int64_t size) {
    size_t length = strlen(text), found = 0;
    switch (query[0]) {
    case 'p':
        if (query[1] == 'a') {
            for (size_t place = 0; place < count; place++)
                found += fnmatch(text, names + starts[place], FNM_CASEFOLD) == 0;
            break;
        }
        for (size_t place = 0; place < count; place++)
            found += lengthOf(place) >= length && memcmp(names + starts[place], text, length) == 0;
        break;
    case 's':
        for (size_t place = 0; place < count; place++) found += ends(place, text, length);
        break;
    case 'l':
        for (size_t place = 0; place < count; place++) found += sizes[place] > size && ends(place, text, length);
        break;
    case 'i':
        for (size_t place = 0; place < count; place++) found += strcasestr(names + starts[place], text) != NULL;
        break;
    default:
        for (size_t place = 0; place < count; place++)
            found += pcre2_match(code, (PCRE2_SPTR)names + starts[place], lengthOf(place), 0, PCRE2_NO_UTF_CHECK, match,
                                 NULL) >= 0;
    }
    return found;
}

int main(int argc, char **argv) {
    long rounds = argc >= 4 ? atol(argv[1]) : 0;
    if (rounds < 1) errx(64, "usage: scan ROUNDS QUERY ARGUMENT...");
    const char *query = argv[2], *text = argv[3];
    int64_t size = 0;
    if (query[0] == 'l') {
        if (argc != 5) errx(64, "usage: scan ROUNDS larger SIZE TEXT");
        size = atoll(argv[3]);
        text = argv[4];
    }
    if (query[0] == 'e') compile(text, argc == 5 && atoi(argv[4]) == 1);
    char *line = NULL;
    size_t lineRoom = 0;
    ssize_t length;
    while ((length = getdelim(&line, &lineRoom, 0, stdin)) > 0) {
        char *name;
        int64_t itsSize = strtoll(line, &name, 10);
        add(itsSize, name + 1, (size_t)(line + length - 1 - (name + 1)));
    }
    printf("{\"milliseconds\":[");
    size_t found = 0;
    for (long round = 0; round < rounds; round++) {
        double start = seconds();
        found = scan(query, text, size);
        printf("%s%.4f", round ? "," : "", 1e3 * (seconds() - start));
    }
    printf("],\"count\":%zu}\n", found);
    return 0;
}
