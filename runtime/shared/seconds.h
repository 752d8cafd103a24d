// The clock of measured times.
#pragma once
double nsm_seconds(void);               // of a clock that only goes on
