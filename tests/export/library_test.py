#!/usr/bin/python3
"""library_test.py: does an exported library's example build and run, with CMake and with pkg-config, in place and installed?"""

import os
import shlex
import shutil
import unittest

from export import library
from tests.export.header_test import CXX, ROOT, run
from tests.plots.support import FolderTest, run_tests

STRICT = "-std=c++17 -O1 -Wall -Wextra -Wconversion -Werror -pthread".split()
# One of each kind: plain, with asymmetric fences, with a thief's own deque and a poll, with links and one thief, integers.
KINDS = (("chase_lev", ""), ("weir", ""), ("private", ""), ("lf_bulk", ""), ("chase_lev", "uint32_t"))
TYPES = """#include "my_deque.hpp"
#include <type_traits>
struct task {};
template <class Handle> constexpr bool moved = std::is_nothrow_move_constructible_v<Handle> && !std::is_copy_constructible_v<Handle>;
static_assert(moved<my::owner<task *>> && moved<my::stealer<task *>>);
static_assert(std::is_same_v<decltype(std::declval<my::owner<task *>>().pop()), std::optional<task *>>);
static_assert(!std::is_invocable_v<decltype(&my::owner<task *>::push), my::owner<task *> &, int *>);
struct memory { int mine; };   /* no name of the header's */
using namespace std;
int main() {
    my_config wrong{};
    wrong.capacity = SIZE_MAX;
    try {
        my::owner<task *> owner(wrong);
    } catch (const invalid_argument &) {
        return 0;
    }
    return memory{1}.mine;
}
"""
CONSUMER = """cmake_minimum_required(VERSION 3.16)
project(consumer LANGUAGES CXX)
find_package(my_deque REQUIRED)
add_executable(consumer example.cc)
target_link_libraries(consumer PRIVATE my::deque)
"""


@unittest.skipUnless(shutil.which(CXX), "no C++ compiler")
class Library(FolderTest):
    def exported(self, deque, item=""):
        folder = self.folder / f"of {deque}{item}"
        for name, text in library.export(deque, "my", item).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    def succeeds(self, *words, **more):
        status, said = run(*words, **more)
        self.assertEqual(status, 0, said[:4000])
        return said

    def built(self, source, folder):
        self.succeeds(CXX, *STRICT, "-I", folder / "include", "-o", self.folder / "made", source)
        return self.succeeds(self.folder / "made", timeout=120)

    def test_examples(self):
        for deque, item in KINDS:
            with self.subTest(deque=deque, item=item):
                folder = self.exported(deque, item)
                self.assertEqual(self.built(folder / "example.cc", folder), "100000 tasks ran\n")

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_cmake(self):
        folder, built, installed = self.exported("chase_lev"), self.folder / "built", self.folder / "installed here"
        self.succeeds("cmake", "-S", folder, "-B", built, f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_INSTALL_PREFIX={installed}")
        self.succeeds("cmake", "--build", built)
        self.succeeds("ctest", cwd=built)
        self.assertIn("CMAKE_PREFIX_PATH", (folder / "CMakeLists.txt").read_text())
        self.succeeds("cmake", "--install", built)
        consumer = self.folder / "consumer"
        consumer.mkdir()
        (consumer / "CMakeLists.txt").write_text(CONSUMER)
        shutil.copy(folder / "example.cc", consumer)
        shutil.rmtree(folder)
        self.succeeds("cmake", "-S", consumer, "-B", consumer / "built", f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_PREFIX_PATH={installed}")
        self.succeeds("cmake", "--build", consumer / "built")
        self.assertEqual(self.succeeds(consumer / "built" / "consumer"), "100000 tasks ran\n")

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_pkg_config(self):
        folder = self.exported("chase_lev")
        flags = shlex.split(self.succeeds("pkg-config", "--cflags", "my_deque",
                                          env={**os.environ, "PKG_CONFIG_PATH": str(folder / "lib" / "pkgconfig")}))
        self.succeeds(CXX, "-std=c++17", *flags, "-o", self.folder / "made", folder / "example.cc")
        self.assertEqual(self.succeeds(self.folder / "made", timeout=120), "100000 tasks ran\n")


class Written(FolderTest):
    def said(self, *words):
        return run("/usr/bin/python3", "-m", "export", *words, "--unchecked", cwd=ROOT)

    def left(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def test_a_file(self):
        self.assertEqual(self.said("lace", "-o", self.folder / "lace.h"), (0, ""))
        self.assertEqual((self.folder / "lace.h").read_text(), self.said("lace")[1])
        self.assertEqual(self.left(), ["lace.h"])

    def test_what_fails_leaves_nothing(self):
        for status, words in ((3, ("array", "-o", self.folder / "array.h")), (3, ("array", f"--library={self.folder / 'array'}")),
                              (3, ("lace", "--item=char *", f"--library={self.folder / 'lace'}")),
                              (2, ("private", f"--library={self.folder / 'private'}")),  # no namespace
                              (2, ("lace", "--prefix=x", "-o", self.folder / "x.h")),  # X_OK
                              (2, ("lace", "-o", self.folder / "lace.h", f"--library={self.folder / 'lace'}")),
                              (2, ("pool", "--deque=lace", f"--library={self.folder / 'pool'}")),
                              (4, ("lace", "-o", "/dev/null/lace.h"))):
            with self.subTest(words=words):
                self.assertEqual(self.said(*words)[0], status)
                self.assertEqual(self.left(), [])


if __name__ == "__main__":
    run_tests()
