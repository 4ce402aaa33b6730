// The simple interface of libjpeg-turbo.
#include <turbojpeg.h>
