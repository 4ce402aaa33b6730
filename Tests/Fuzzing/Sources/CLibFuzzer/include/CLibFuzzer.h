// libFuzzer as a library (LLVM, "Using libFuzzer as a library"): the program keeps its own `main`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));
