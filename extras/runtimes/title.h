/* title.h: what a program over other runtimes calls itself in --describe, and so in a run's manifest: the name and the
 * version of what it really runs on. "Name 1.2.3"; several are joined by ", ". */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
const char *runtime_title(void);
#ifdef __cplusplus
}
#endif
