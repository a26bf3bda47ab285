#include "cli/busy.h"

#include "cli/terminal.h"

/* Less is the usual coming and going, and changes times by less than they vary anyway. */
#define WORTH_SAYING 0.1

void busy_warn(double others, const char *consequence)
{
    if (others >= WORTH_SAYING) {
        terminal_say("warning: other programs took about %.0f %% of the processors while this was "
                     "timed; %s",
                     100 * others, consequence);
    }
}
