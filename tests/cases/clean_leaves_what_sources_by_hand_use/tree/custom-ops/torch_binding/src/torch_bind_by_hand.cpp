#include "torch_register.h"
