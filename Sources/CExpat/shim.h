// The stream-oriented parser of XML, which D-Bus and Python need, so that nearly every Debian has it.
#include <expat.h>
