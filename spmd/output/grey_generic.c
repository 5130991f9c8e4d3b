#define GREY_SHADES grey_shades_generic
#include "spmd/output/grey_body.h"
