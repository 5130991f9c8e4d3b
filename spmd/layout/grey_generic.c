#define GREY_SHADES grey_shades_generic
#include "spmd/layout/grey_body.h"
