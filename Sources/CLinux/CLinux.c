// Everything is in the header; a target needs one source file.
// SPDX-License-Identifier: Apache-2.0
#include "CLinux.h"
