// The simplified interface of libpng (libpng(3)).
#include <png.h>
