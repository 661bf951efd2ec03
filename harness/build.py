"""What the executables would answer to --describe, without building them: a deque's traits, and each family's table of workloads,
which is the same for all deques. The driver lists and plans with both. setup/configure.py loads this."""

import re

from compiler import read

MAIN = "harness/describe_main.c"
# Options of the linker: functions that would run a workload are left unresolved; nothing calls them.
UNRESOLVED = "-no-pie -Wl,--unresolved-symbols=ignore-all -Wl,-z,lazy"


def program(build, name, deque, objects):
    original = build.originals.get(deque)
    return build.edge(f"{build.folder}/obj/described/{name}.program", "compile_and_link", [MAIN, *objects, build.facts],
                      [original.bytes] if original and original.bytes else [], depends=original.depends(MAIN) if original else "",
                      flags=f"{build.flags_of('described', deque, 0, MAIN)} {UNRESOLVED}")


def add(build):
    out = f"{build.folder}/described"
    items4 = build.run(f"{out}/families/items4", "{ printf 'deque\\tvariant\\titem=4\\n' && cat $in; } > $out", [f"{out}/families/contention"])
    for family, sources in build.families.items():
        texts = {one: read(one) for one in sources}
        tables = [one for one in sources if re.search("REGISTER_WORKLOAD|PARAMETERS_END", texts[one])]
        made = [build.object("described", "once" if build.once(one) else "empty", one) for one in tables if not build.together(one)]
        together = list(filter(build.together, tables))
        made += [build.object("described", "empty", "microbenchmarks.c", together=together)] if together else []
        table = build.run(f"{out}/families/{family}", "$in | grep -E '^(workload|presets|parameter\t[^*])' > $out",
                          [program(build, f"families/{family}", "empty", made)])
        build.group("described_families", [table])
        for workload in re.findall(r"REGISTER_WORKLOAD\((\w+)", "".join(map(texts.get, tables))):
            build.group(f"described_workload/{workload}", [table, *([items4] if family == "contention" else [])])
    build.group("described_families", [items4])
    for deque in [*build.deques, *build.originals]:
        build.group("described_deques", [build.run(f"{out}/deques/{deque}", "$in > $out", [program(build, deque, deque, [])])])
    build.group("described", ["described_deques", "described_families"])
