// PCRE2 for 8-bit code units (UTF-8 subjects).
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
