"""A C++ class, or a Rust crate, as a deque of the suite: adopted/NAME (docs/cpp.md).

    ./run.sh adopt my_queue.hpp --class='my::Queue<void *>' [--push=push_back ...]
    ./run.sh adopt path/to/crate

The compiler says which of the usual names the class has and what they return. From that come queues/adopted/NAME.cc, a shim, and
NAME.h, the traits, which git ignores and you may edit. A crate's Worker, Stealer and Steal are called as crossbeam-deque's are.

Exit: 0; 2 usage, or a class that lacks an operation; 3 a compiler is missing, or the shim does not compile.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "queues" / "adopted"
sys.path.insert(0, str(ROOT / "setup"))
from compiler import Compiler  # noqa: E402

NAMES = {
    "push": "push push_bottom push_back try_push try_push_back enqueue put",
    "pop": "pop pop_bottom pop_back try_pop try_pop_back take dequeue",
    "steal": "steal try_steal pop_top steal_top pop_front try_pop_front steal_front take_top",
    "size": "size size_approx approx_size ssize length count",
    "empty": "empty is_empty",
    "capacity": "capacity max_size",
}
# How a class may answer: what the compiler must accept of `queue`, and what the shim then does. The first that fits is taken.
CAUGHT = """    try {{
        {0}
    }} catch (const std::bad_alloc &) {{
        return 0;
    }}
"""
PUSHES = {
    "nothing": ("{ queue.NAME(static_cast<Item>(item)) } -> std::same_as<void>;", CAUGHT.format("queue_of(object)->NAME(static_cast<Item>(item));") +
                "    return 1;\n"),
    "bool": ("{ queue.NAME(static_cast<Item>(item)) } -> std::same_as<bool>;",
             CAUGHT.format("return queue_of(object)->NAME(static_cast<Item>(item));")),
}
TAKES = {
    "a pointer": ("{ queue.NAME() } -> std::convertible_to<void *>;", "    return queue_of(object)->NAME();\n"),
    "an optional": ("static_cast<bool>(queue.NAME()); { *queue.NAME() } -> std::convertible_to<Item>;",
                    "    auto taken = queue_of(object)->NAME();\n    return taken ? static_cast<void *>(*taken) : nullptr;\n"),
    "a pair": ("{ queue.NAME().first } -> std::convertible_to<Item>;", "    return queue_of(object)->NAME().first;\n"),
    "bool": ("{ queue.NAME(item) } -> std::same_as<bool>;",
             "    Item item;\n    return queue_of(object)->NAME(item) ? item : nullptr;\n"),
    "bool by a pointer": ("{ queue.NAME(&item) } -> std::same_as<bool>;",
                          "    Item item;\n    return queue_of(object)->NAME(&item) ? item : nullptr;\n"),
}
ASKS = {"a number": ("{ constant.NAME() } -> std::convertible_to<size_t>;", "")}
FORMS = {"push": PUSHES, "pop": TAKES, "steal": TAKES, "size": ASKS, "empty": ASKS, "capacity": ASKS}
MAKES = {"number": "Q(number);", "nothing": "Q();"}

PROBE = Template("""#include <concepts>
#include <cstddef>
#include <cstdio>
#include <$header>

#include "queues/upstream/upstream.h"
using Item = $item;
template <class Q> void tell() {
$lines}
int main() { tell<$class_>(); }
""")
LINE = '    if constexpr (requires(Q &queue, const Q &constant, Item &item, size_t number) {{ {0} }}) std::puts("{1}");\n'

SHIM = Template("""// $name.cc: upstream.h over $class_. Written by ./run.sh adopt.

#include <algorithm>
#include <$header>

#include "queues/adopted/$name.h"

UPSTREAM_OVER($class_)
using Item = $item;

int upstream_init(void *object, const upstream_settings *settings) {
    if (settings->capacity > UPSTREAM_CAPACITY_MAX)
        return EINVAL;
$make}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }
size_t upstream_capacity(const void *$unused_object) { return $capacity; }
size_t upstream_size(const void *object) {
    const auto size = queue_of(object)->$size(); // what a thread sees while others work may be below 0
    return size > 0 ? static_cast<size_t>(size) : 0;
}

UPSTREAM_OPERATION_AS_IT_IS int upstream_push(void *object, void *item) {
$push}
UPSTREAM_OPERATION void *upstream_pop(void *object) {
$pop}
UPSTREAM_OPERATION void *upstream_steal(void *object) {
$steal}
int upstream_maybe_lost(void *object) { return $maybe_lost; }
""")

TRAITS = Template("""/* $name.h: $title. Written by ./run.sh adopt; queues/deque.h says what the traits mean.
$told */
#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \\
    {                                                                                                                  \\
        .id = "adopted/$name", .title = "$title", .source = "adopted", .owner_order = $order, .bound = $bound,         \\
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                                          \\
        .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_BLOCKING, .steal_progress = DEQUE_BLOCKING,             \\
    }

#include "queues/upstream/upstream.h"
""")


def refuse(code, why):
    print(f"adopt: {why}", file=sys.stderr)
    sys.exit(code)


def run(command, why):
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    except OSError as error:
        refuse(3, f"{command[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        refuse(3, f"{command[0]} took more than two minutes")
    if done.returncode != 0:
        refuse(3, why + ":\n" + "\n".join((done.stderr or done.stdout).splitlines()[:20]))
    return done.stdout


def accepted(options):
    """What the compiler accepts: {("pop", "try_pop", "a pointer"), ..., ("make", "", "number")}."""
    candidates = [(what, name, form, forms[form][0]) for what, forms in FORMS.items()
                  for name in [getattr(options, what)] * bool(getattr(options, what)) or NAMES[what].split() for form in forms]
    candidates += [("make", "", form, condition) for form, condition in MAKES.items()]
    lines = "".join(LINE.format(condition.replace("NAME", name), "\t".join((what, name, form)))
                    for what, name, form, condition in candidates)
    compiler = Compiler("build")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.cc")
        source.write_text(PROBE.substitute(header=options.header, item=options.item, class_=options.class_, lines=lines), encoding="utf-8")
        run([*compiler.cxx.split(), "-std=c++20", "-w", "-O0", *(f"-I{one}" for one in (".", *options.include)),
             *compiler.cppflags.split(), str(source), "-pthread", "-o", f"{folder}/probe"], f"{options.class_} does not compile" +
            ("" if "<" in options.class_ else f" (if it is a template: --class='{options.class_}<void *>')"))
        said = run([f"{folder}/probe"], "the probe failed")
    return [tuple(line.split("\t")) for line in said.splitlines()]


def shim_of(options, found):
    """(the shim's text, the traits' bound, what was assumed)."""
    first = {what: (name, form) for what, name, form in reversed(found)}
    missing = [f"no {what} (tried {getattr(options, what) or ', '.join(NAMES[what].split())}): name it by --{what}="
               for what in ("push", "pop", "steal", "size") if what not in first]
    if missing:
        refuse(2, "\n  ".join([f"{options.class_}, for items of type {options.item}, has", *missing]) +
               "\nor add it to the class; docs/cpp.md says what it may return")
    if "make" not in first:
        refuse(2, f"{options.class_} is made neither of nothing nor of one number: wrap it in a class that is")
    assumed = []
    grows = options.growable or first["push"][1] == "nothing"
    if not grows and "capacity" not in first:
        refuse(2, f"a push of {options.class_} returns bool, so it may be full, but no capacity() says when: say --capacity=METHOD, or "
                  "--growable if it fails for lack of memory only")
    if grows and first["push"][1] == "bool":
        assumed.append("a push fails for lack of memory only")
    make = ""
    if first["make"][1] == "number":
        make = "    const size_t capacity = settings->capacity ? std::bit_ceil(settings->capacity) : 1024;\n"
        assumed.append("the constructor's number is a capacity (a power of two)")
    arguments = ", capacity" if make else ""
    if grows:
        make += f"    return upstream_make<Queue>(object{arguments});\n"
    else:
        make += (f"    if (upstream_make<Queue>(object{arguments}) != 0)\n        return ENOMEM;\n"
                 "    if (upstream_capacity(object) >= settings->capacity)\n        return 0;\n"
                 "    upstream_destroy(object);\n    return EINVAL;\n")
    bodies = {what: FORMS[what][first[what][1]][1].replace("NAME", first[what][0]) for what in ("push", "pop", "steal")}
    there = f"!queue_of(object)->{first['empty'][0]}()" if "empty" in first else "upstream_size(object) > 0"
    text = SHIM.substitute(bodies, name=options.name, class_=options.class_, header=options.header, item=options.item, make=make,
                           size=first["size"][0], maybe_lost=there, unused_object="" if grows else "object",
                           capacity="0" if grows else f"static_cast<size_t>(queue_of(object)->{first['capacity'][0]}())")
    calls = ", ".join(f"{what} is {first[what][0]} (returns {first[what][1]})" for what in ("push", "pop", "steal"))
    print(f"{options.class_}: {calls}; {'it grows' if grows else 'its capacity is fixed'}")
    return text, "DEQUE_GROWABLE" if grows else "DEQUE_FIXED", assumed


def read_options():
    parser = argparse.ArgumentParser(prog="stealbench adopt", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", metavar="FILE", help="the header; or a crate's folder")
    parser.add_argument("--class", dest="class_", help="the class, with void * or another pointer for items")
    parser.add_argument("--name", help="the deque becomes adopted/NAME; default: the file's name")
    parser.add_argument("--item", default="void *", help="the pointer that the class holds")
    parser.add_argument("--include", action="append", default=[], help="a folder of headers that it needs")
    parser.add_argument("--fifo", action="store_true", help="the owner, too, takes the oldest item")
    parser.add_argument("--growable", action="store_true", help="a push fails for lack of memory only")
    for what in FORMS:
        parser.add_argument(f"--{what}", help=f"the method, if it is none of: {NAMES[what]}")
    options = parser.parse_args()
    given = Path(os.environ.get("STEALBENCH_FROM", "."), options.file).resolve()
    options.header, options.crate = given, given if given.is_dir() else None
    options.include = [str(Path(os.environ.get("STEALBENCH_FROM", "."), one).resolve()) for one in options.include]
    options.name = options.name or re.sub(r"\W+", "_", given.name if options.crate else given.stem).lower()
    if not given.exists() or options.crate and not (given / "Cargo.toml").exists():
        refuse(2, f"no such {'crate' if options.crate else 'header'}: {options.file}")
    if not options.crate and not options.class_:
        refuse(2, "--class= is missing, such as --class='my::Queue<void *>'")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", options.name):
        refuse(2, f"--name={options.name}: expected a small letter, then small letters, digits and _")
    return options


def main():
    options = read_options()
    if options.crate:
        text, bound, assumed = "", "DEQUE_GROWABLE", []
        told = f" * crate: {options.crate}\n"
    else:
        text, bound, assumed = shim_of(options, accepted(options))
        told = f" * include: {':'.join(options.include)}\n" if options.include else ""
    title = (options.class_ or options.name).replace("<void *>", "").replace('"', "")
    HERE.mkdir(exist_ok=True)
    traits, shim = HERE / f"{options.name}.h", HERE / f"{options.name}.cc"
    traits.write_text(TRAITS.substitute(name=options.name, title=title, told=told, bound=bound,
                                        order="DEQUE_FIFO" if options.fifo else "DEQUE_LIFO"), encoding="utf-8")
    shim.unlink(missing_ok=True)
    if text:
        shim.write_text(text, encoding="utf-8")
    run(["setup/configure.py", f"build/bytes/adopted/{options.name}"], f"queues/adopted/{options.name} does not compile; edit it, or name "
        "the methods")
    assumed += ["the owner takes the oldest item" if options.fifo else "the owner takes the newest item",
                "any number of threads may steal at once", "a call may wait for other threads"]
    print(f"adopted/{options.name}: not guessed but assumed, for you to mend in queues/adopted: {'; '.join(assumed)}.")
    print(f"Next: ./run.sh check adopted/{options.name}")


if __name__ == "__main__":
    main()
