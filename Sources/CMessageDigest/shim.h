// SHA-256 of libmd, which every Debian has, since dpkg uses it.
#include <sys/types.h>
#include <stdint.h>
#include <sha2.h>
