#include "report/frame/measure.h"

static const struct measure_row rows[] = {
#define MEASURE_ROW(name, section, key, title, unit, decimals, compared, kinds)                    \
    {section, key, title, UNIT_##unit, decimals, compared, kinds},
    MEASURE_TABLE(MEASURE_ROW)
#undef MEASURE_ROW
};

const struct measure_row *measure_row(enum measure measure)
{
    return &rows[measure];
}
