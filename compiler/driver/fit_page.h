// nsm fit --page: what a fit has found, as one page without scripts.
#pragma once
#include "../../runtime/answers/fit_shown.h"
#include "../base/text.h"

void fit_page(const fit_shown *f, Text *out);
