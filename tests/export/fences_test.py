#!/usr/bin/python3
"""fences_test.py: do translation units of different standards agree about a deque's asymmetric fences? The program's `syscall`
is the test's own, which counts membarriers and grants or refuses them."""

import os
import shutil
import signal
import unittest

from export import header
from tests.export.header_test import CC, CXX, run
from tests.plots.support import FolderTest, run_tests

DEQUES = ("chase_lev_asymmetric", "weir")
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
# A unit that makes a deque, or steals from one that another unit made.
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
# For every maker and every thief from a given one on: how many membarriers a steal runs, if the kernel grants so many.
MAIN = """#include "mine.h"
#include <stdio.h>
static long granted, ran;
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
    (void)number;
    ran++;
    return granted-- > 0 ? 0 : -1;
}
#define UNIT(name) int name##_make(struct mine_deque *), name##_steal(struct mine_deque *);
UNITS
#undef UNIT
#define UNIT(name) {name##_make, name##_steal},
static const struct unit {
    int (*make)(struct mine_deque *), (*steal)(struct mine_deque *);
} unit[] = {UNITS};
int main(int count, char **word) {
    static struct mine_deque deque;
    const int units = sizeof unit / sizeof unit[0];
    for (int maker = 0, thief = count > 2 ? atoi(word[2]) : 0; maker < units; maker++, thief = 0)
        for (; thief < units; thief++) {
            granted = atol(word[1]);
            if (!unit[maker].make(&deque))
                return 2;
            ran = 0;
            if (!unit[thief].steal(&deque))
                return 3;
            printf("%ld", ran);
            mine_destroy(&deque);
        }
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
            with self.subTest(deque=deque):
                (self.folder / "mine.h").write_text(header.export(deque, "mine", "void *"))
                for unit, (compiler, flags) in UNITS.items():
                    self.compiled(compiler, flags, f"#define UNIT {unit}\n{UNIT}", unit)
                self.compiled(CC, ["-std=gnu11"], MAIN.replace("UNITS", " ".join(f"UNIT({unit})" for unit in UNITS)), "main")
                status, said = run(CXX, "-fsanitize=thread", "-Wl,--wrap=syscall", "-pthread", "-o", self.folder / "main",
                                   *(self.folder / f"{name}.o" for name in ("main", *UNITS)))
                self.assertEqual(status, 0, said[:4000])
                kinds = "".join(("0" if maker == "paired" else "1") * len(UNITS) for maker in UNITS)
                self.assertEqual(run(self.folder / "main", 2), (0, kinds))
                self.assertEqual(run(self.folder / "main", 0), (0, "0" * len(kinds)))
                for thief in range(len(UNITS)):  # granted when the deque was made, refused later: the program ends, and says why
                    status, said = run(self.folder / "main", 1, thief, env={**os.environ, "TSAN_OPTIONS": "handle_abort=0"})
                    self.assertEqual(status, -signal.SIGABRT)
                    self.assertIn("the kernel refuses the membarrier", said)


if __name__ == "__main__":
    run_tests()
