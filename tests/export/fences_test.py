#!/usr/bin/python3
"""fences_test.py: do translation units of different standards agree about a deque's asymmetric fences? The program's `syscall`
is the test's own, which counts membarriers and grants or refuses them."""

import itertools
import os
import shutil
import signal
import unittest

from export import header
from tests.export.header_test import CC, CXX, run
from tests.plots.support import FolderTest, run_tests

DEQUES = ("chase_lev_asymmetric", "weir")
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
# What makes a deque, or steals from one that another of these made.
UNITS = {"gnu11": (CC, ["-std=gnu11", *STRICT]), "c11": (CC, ["-std=c11", *STRICT]),
         "cpp": (CXX, ["-std=c++17", "-x", "c++", *STRICT[:3]]),
         "tsan": (CC, ["-std=c11", "-fsanitize=thread", "-w"]), "paired": (CC, ["-std=c11", "-DMINE_FENCES_PAIRED", *STRICT])}
UNIT = """#include "mine.h"
#define JOINED(left, right) left##_##right
#define JOIN(left, right) JOINED(left, right)
#ifdef __cplusplus
extern "C" {
#endif
int JOIN(UNIT, make)(struct mine_deque *);
int JOIN(UNIT, steal)(struct mine_deque *);
int JOIN(UNIT, make)(struct mine_deque *deque) {
    struct mine_config config;
    memset(&config, 0, sizeof config);
    return mine_init(deque, &config) == 0 && mine_push(deque, (void *)deque) == MINE_OK;
}
int JOIN(UNIT, steal)(struct mine_deque *deque) {
    void *item;
    return mine_steal(deque, NULL, &item) == MINE_OK;
}
#ifdef __cplusplus
}
#endif
"""
# granted: how many membarriers the kernel grants. Prints how many a steal runs.
MAIN = """#include "mine.h"
#include <stdarg.h>
#include <stdio.h>
static long granted, run;
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
    (void)number;
    run++;
    return granted-- > 0 ? 0 : -1;
}
int MAKER_make(struct mine_deque *);
int THIEF_steal(struct mine_deque *);
int main(int count, char **word) {
    static struct mine_deque deque;
    granted = count > 1 ? atol(word[1]) : 0;
    if (!MAKER_make(&deque))
        return 2;
    run = 0;
    if (!THIEF_steal(&deque))
        return 3;
    printf("%ld", run);
    mine_destroy(&deque);
    return 0;
}
"""


@unittest.skipUnless(shutil.which(CC) and shutil.which(CXX), "no C or no C++ compiler")
class Mixed(FolderTest):
    def compiled(self, compiler, flags, text, name):
        (self.folder / f"{name}.c").write_text(text)
        status, said = run(compiler, *flags, "-O1", "-I", self.folder, "-c", "-o", self.folder / f"{name}.o", self.folder / f"{name}.c")
        self.assertEqual(status, 0, said[:4000])

    def test_a_thief_follows_its_victim(self):
        for deque in DEQUES:
            (self.folder / "mine.h").write_text(header.export(deque, "mine", "void *"))
            for unit, (compiler, flags) in UNITS.items():
                self.compiled(compiler, flags, f"#define UNIT {unit}\n{UNIT}", unit)
            for maker, thief in itertools.product(UNITS, UNITS):
                with self.subTest(deque=deque, maker=maker, thief=thief):
                    self.compiled(CC, ["-std=gnu11"], MAIN.replace("MAKER", maker).replace("THIEF", thief), "main")
                    status, said = run(CXX, "-fsanitize=thread", "-Wl,--wrap=syscall", "-pthread", "-o", self.folder / "main",
                                       *(self.folder / f"{name}.o" for name in {"main", maker, thief}))
                    self.assertEqual(status, 0, said[:4000])
                    asymmetric = maker != "paired"
                    self.assertEqual(run(self.folder / "main", 2), (0, "1" if asymmetric else "0"))
                    self.assertEqual(run(self.folder / "main", 0), (0, "0"))
                    # Granted at first, refused later: it ends, and says why.
                    status, said = run(self.folder / "main", 1, env={**os.environ, "TSAN_OPTIONS": "handle_abort=0"})
                    self.assertEqual(status, -signal.SIGABRT if asymmetric else 0)
                    self.assertIn("the kernel refuses the membarrier" if asymmetric else "0", said)


if __name__ == "__main__":
    run_tests()
