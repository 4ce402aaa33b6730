// Nothing: the library comes with the compiler.
// SPDX-License-Identifier: Apache-2.0
#include "CLibFuzzer.h"
