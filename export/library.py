"""library.py: one deque as a folder that CMake and pkg-config find: the header, a C++ wrapper, an example. Its templates are in
export/library/, with PREFIX for the name and @...@ for the parts that depend on the deque."""

import re
import textwrap

from export import header

TEMPLATES = header.ROOT / "export" / "library"
# The files' paths in the folder.
FILES = {"deque.hpp": "include/{0}_deque.hpp", "example.cc.in": "example.cc", "CMakeLists.txt": "CMakeLists.txt",
         "config.cmake": "lib/cmake/{0}_deque/{0}_deque-config.cmake", "deque.pc": "lib/pkgconfig/{0}_deque.pc"}


def carried(deque, prefix, item):
    """The deque's source. Raises CannotExport."""
    if "*" in item:
        raise header.CannotExport("--library carries pointers of the type that its C++ wrapper is told, or an integer by --item")
    return header.carried(deque, prefix, item)[0]


def export(deque, prefix, item, checked=""):
    """{path in the folder: text}."""
    source = carried(deque, prefix, item)
    files = {f"include/{prefix}_deque.h": header.export(deque, prefix, item, checked)}
    has, needs_self = header.native(source), header.trait(source, "needs_self") == "true"
    said = textwrap.wrap(header.renamed(header.traits(source), deque, prefix), header.WIDTH)
    values = {
        "SAID": "".join(f" * {line}\n" for line in said), "TITLE": header.trait(source, "title"),
        "VERSION": header.released(),
        "SELF_PARAMETER": "owner<Item> &self, " if needs_self else "", "SELF": "self.get()" if needs_self else "nullptr",
        "THIEVES": "1" if header.trait(source, "thieves") == "DEQUE_ONE_THIEF" else "2",
        "POLL": "    void poll() { PREFIX_poll(deque_.get()); } /* between tasks, or thieves wait in vain */\n" if "poll" in has else "",
        "CALL_POLL": "        owner.poll();\n" if "poll" in has else "",
        "BASE": " : PREFIX_link" if "lists" in has else "",
        "OWN": f"            PREFIX::owner<{item or 'task *'}> own; /* a thief of this deque has one */\n" if needs_self else "",
        "OWN_ARGUMENT": "own" if needs_self else "",
        "ITEM": item or "task *", "MAKE": f"static_cast<{item}>(i + 1)" if item else "&tasks[i]",
        "TASK": "tasks[item - 1]" if item else "(*item)",
    }
    for name, path in FILES.items():
        text = re.sub(r"@(\w+)@", lambda found: values[found.group(1)], (TEMPLATES / name).read_text())
        names = {"PREFIX": prefix, "PREFIX_UP": prefix.upper()}
        files[path.format(prefix)] = re.sub(r"(?<!CMAKE_)(PREFIX_UP|PREFIX)", lambda found: names[found.group()], text)
    return files
