"""pool.py: the pool on one deque as a header that stands alone.

The header has the sources of workloads/pool/ and the deque. export/pool/ replaces the parts of the suite that they use. One C file
of a program defines MY_POOL_IMPLEMENTATION before it includes the header. The calls that run tasks are plain C,
for C++ too; the inlined fork and join are for C only.
"""

import re

from export import header

ROOT = header.ROOT
POOL = ROOT / "workloads" / "pool"
OUTSIDE = ROOT / "export" / "pool"
# The suite's headers that the pool includes and outside.h replaces.
REPLACED = [f"harness/measuring/{name}.h" for name in ("cell", "counters", "histogram", "places", "distance")]
IMPLEMENTATION = ("harness/measuring/random.c", *(f"workloads/pool/{name}.c" for name in ("pool", "memory", "overflow", "sleep", "victims", "run", "open")),
                  "export/pool/start.c")
# Behind the interface, comments about the suite are left out; so is the suite's name for the options.
SUITE = re.compile(r"\b(suite|cells?|figures?|workloads?|stealbench|harness|repetitions?|samples?|queues)\b", re.I)
INCLUDE = re.compile(r'^#include "([^"]+)"[^\n]*\n', re.M)


class Amalgam:
    """Texts with their includes in place, each once."""

    def __init__(self, deque):
        self.deque = deque
        self.seen = set(REPLACED) | {"workloads/pool/pool.h", "workloads/pool/state.h", "queues/deque.h"}

    def include(self, name):
        if not (ROOT / name).exists():  # a deque's header names its neighbours, and these theirs
            name = next(path for path in (f"queues/{name}", f"queues/parts/{name}") if (ROOT / path).exists())
        if name in self.seen:
            return ""
        if name != "harness/measuring/popped_links.h":  # twice: before the deque and behind it
            self.seen.add(name)
        return self.text(name)

    def text(self, name):
        text = (ROOT / name).read_text().replace("#pragma once\n", "")
        text = text.replace("#include DEQUE_HEADER\n", f'#include "queues/{self.deque}.h"\n')
        text = re.sub(r"#ifndef DEQUE_HEADER\n#error[^\n]*\n#endif\n", "", text)
        if name == "harness/measuring/clock.h":  # without the code that watches a measured window
            text = re.sub(r"/\* --- [Ww]as a thread on its processor.*", "", text, flags=re.S)
        return INCLUDE.sub(lambda found: self.include(found.group(1)), text)


def renamed(text, names, prefix):
    """pool_X becomes PREFIX_X, deque_X PREFIX_deque_X; other names at file scope become PREFIX_X_."""
    upper = prefix.upper()
    fixed = {"struct pool": f"struct {prefix}", "struct deque": f"struct {prefix}_deque",
             "pool_deque": f"{prefix}_pool_deque", "deque_bytes": "deque_bytes", "struct pool_deque": f"struct {prefix}_pool_deque"}

    def new(found):
        word = found.group()
        kind, _, bare = word.rpartition(" ")
        if word in fixed:
            return fixed[word]
        if bare.startswith(("pool_", "POOL_")):
            bare = (prefix if bare.startswith("pool_") else upper) + bare[4:]
        elif bare.startswith("STEALBENCH_"):
            bare = upper + bare[10:]
        elif bare.startswith(("deque_", "DEQUE_")):
            bare = f"{upper if bare.startswith('DEQUE_') else prefix}_{bare}"
        elif word in names:
            bare = f"{upper if bare.isupper() else prefix}_{bare}_"
        return f"{kind} {bare}" if kind else bare
    return re.sub(r"\b(?:struct|enum|union) \w+|(?<![.>\w\"<])[A-Za-z_]\w*", new, text)


def behind(text):
    """The part behind the interface, in words for a program without the suite."""
    text = header.COMMENT.sub(lambda found: "" if SUITE.search(found.group()) else found.group(), text)
    text = re.sub(r"(?<![a-z])cell(?![a-z])", "asked", text).replace("SAMPLE_", "FLAG_").replace("stealbench: pool: ", "PREFIX: ")
    return re.sub(r"[ \t]+(?=\n)", "", text)


def public():
    """(lines of its head comment, the rest) of workloads/pool/pool.h without what is about cells."""
    text = (POOL / "pool.h").read_text().replace("/* pool.h: a", "/* A", 1)
    about = [re.sub(r"^(/\*| \*) ?", "", line).rstrip() for line in header.COMMENT.search(text).group().splitlines()[:-1]]
    text = text[text.index("struct pool;"):]
    kept = [paragraph for paragraph in header.paragraphs(text)
            if not re.search(r"\bstruct cell\b|\bstruct parameter\b|\bpool_report\b", re.sub(r"/\*.*?\*/", "", paragraph, flags=re.S))]
    return about, "".join(kept)


def carrier(deque):
    """The source of the deque that carries a pool. Raises CannotExport."""
    source = header.decided(header.source_of(deque))
    if header.trait(source, "sound") != "true" or header.trait(source, "reference") == "true":
        raise header.CannotExport(f"{deque} cannot carry a pool: it is known to be wrong, or a reference")
    return source


def export(deque, prefix, checked=""):
    """checked: what was checked of the deque and of the pool on it (certificate.py)."""
    source = carrier(deque)
    amalgam = Amalgam(deque)
    about, interface = public()
    interface += (OUTSIDE / "options.h").read_text()
    inline = "".join([(OUTSIDE / "outside.h").read_text(), amalgam.include("harness/measuring/random.h"), amalgam.text("workloads/pool/state.h").replace(
        "#define DEQUE_FREE(pointer) free(pointer)\n", "#define DEQUE_FREE(pointer) free(pointer)\n" +
        header.contract_text(), 1), amalgam.include("workloads/pool/pool_inline.h")])
    inline = re.sub(r"#define POOL_POLICIES.*?\n\n", "\n", inline, flags=re.S)  # options.h has these enumerations
    inline, *parts = (behind(text).replace("PREFIX", prefix) for text in (inline, *map(amalgam.text, IMPLEMENTATION)))
    shared = header.names_of(interface) | header.names_of(inline)
    upper = prefix.upper()
    body = [f"#ifndef {upper}_POOL_HEADER\n#define {upper}_POOL_HEADER\n",
            "#include <errno.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#ifdef __cplusplus\n#include <atomic>\n"
            f"#define {upper}_ATOMIC_CHILD(declaration) ::std::atomic<void (*)(struct {prefix}_worker *, struct {prefix}_fork *)> declaration\n"
            "extern \"C\" {\n#else\n#include <stdatomic.h>\n"
            f"#define {upper}_ATOMIC_CHILD(declaration) void (*_Atomic declaration)(struct {prefix}_worker *, struct {prefix}_fork *)\n"
            "#endif\n\n",
            renamed(interface, shared, prefix).replace(
                f"    void (*_Atomic child)(struct {prefix}_worker *, struct {prefix}_fork *);",
                f"    {upper}_ATOMIC_CHILD(child);"),
            "\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
            f"\n#if (defined({upper}_INLINE) || defined({upper}_IMPLEMENTATION)) && !defined({upper}_INLINE_HERE)\n"
            f"#define {upper}_INLINE_HERE\n",
            "#ifndef _GNU_SOURCE\n#error \"compile with -D_GNU_SOURCE: the pool sleeps by Linux's futex and membarrier\"\n#endif\n"
            "#include <sched.h>\n#include <string.h>\n#include <unistd.h>\n\n",
            renamed(inline, shared, prefix), "\n#endif\n",
            f"\n#if defined({upper}_IMPLEMENTATION) && !defined({upper}_IMPLEMENTED)\n#define {upper}_IMPLEMENTED\n"]
    for part in parts:
        body.append(renamed(part, shared | header.names_of(part), prefix) + "\n")
    body.append("#endif\n")
    top = header.comment([
        [f"{header.not_checked(checked)}{prefix}: a work-stealing pool on {header.trait(source, 'title')}, from stealbench. Made by",
         f"./run.sh export pool --deque={deque} --prefix={prefix}"],
        f"Of: {header.version()}. Source of the deque's algorithm: {header.trait(source, 'source')}.",
        *([checked] if checked else []),
        f"How to use it: in one C file (C11, -D_GNU_SOURCE -pthread, Linux) #define {upper}_IMPLEMENTATION and include this; "
        f"elsewhere include it, in C or C++. {prefix}_start, {prefix}_run, {prefix}_close open, use and end a pool; a fork that "
        f"is to be inlined is {prefix}_fork_inline and {prefix}_join_inline, in C files that #define {upper}_INLINE; the cheapest "
        f"are {prefix}_frame, {prefix}_fork_placed and {prefix}_join_placed, by place.",
        ["What it is:", ""] + renamed("\n".join(about), set(), prefix).splitlines(),
    ])
    licence = header.comment([(ROOT / "LICENSE").read_text().strip().splitlines()])
    return re.sub(r"\n{3,}", "\n\n", "\n".join([top, licence]) + "".join(body))
