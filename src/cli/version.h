/* version: what `qkvlab --version` prints, the same facts that every run keeps. */
#ifndef QKVLAB_CLI_VERSION_H
#define QKVLAB_CLI_VERSION_H

/* version_number returns "0.1.0". */
const char *version_number(void);

void version_print(void);

#endif
