// The clock of all measurements.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <time.h>

static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
