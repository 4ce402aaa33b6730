// The files of a burst, made by a process of its own, for a watcher that is no program of ours.
//
//   burst directories DIRECTORY     makes the directories
//   burst files DIRECTORY COUNT     makes the files in them, as fast as it can
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <string.h>

#include "changes.h"

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "directories")) {
        makeBurstDirectories(argv[2]);
        return 0;
    }
    long count = argc == 4 && !strcmp(argv[1], "files") ? atol(argv[3]) : 0;
    if (count < 1) errx(64, "usage: burst directories DIRECTORY | burst files DIRECTORY COUNT");
    endBurst(startBurst(argv[2], count));
    return 0;
}
