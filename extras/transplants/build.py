"""A runtime whose headers were copied and given another deque: build/extras/transplants/HOST/DEQUE, from
build/extras/hosts/HOST/DEQUE, which prepare.py made. setup/configure.py loads this."""

import glob
import importlib.util
import os


def runtimes_room():
    specification = importlib.util.spec_from_file_location("runtimes_build", "extras/runtimes/build.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def of_headers(build, room, host, deque):
    folder = f"{build.folder}/extras/hosts/{host}/{deque}"
    flavour = f"transplants_{host}_{deque}".replace("/", "_")
    build.flavours[flavour] = f"{build.flavours['runtimes']} -isystem {folder}/include"
    runtime = room.all()[0][host]
    library = f"{folder}/make/runtime/src/libomp.so" if host == "openmp_llvm" else ""
    libs = f"-Wl,-rpath,{os.path.abspath(os.path.dirname(library))} " if library else ""
    plain = type(runtime)("", True, cxx=runtime.cxx)
    objects = room.objects(flavour, f"{host}/{deque}", plain, f"extras/runtimes/{host}.cc")
    build.link(f"{build.folder}/extras/transplants/{host}/{deque}", "", "", [*objects, room.inputs()], after=[library] if library else [],
               libs=f"{library} {libs}$application_libs $deque_libs")


def of_rayon(build, room, deque):
    """Rayon, whose other half cargo made with its own deque or for any of ours (crates.py), and this one of ours."""
    hosts = f"{build.folder}/extras/hosts/rayon"
    half = f"{hosts}/{'own' if deque == 'own' else 'ours'}"
    sources = [f"{folder}/{name}" for folder, folders, names in os.walk(half) for name in names
               if name.endswith((".rs", ".toml")) and "/target" not in folder]
    made = "target/release/libforeign_rayon.a"
    taken = "" if deque == "own" else f"grep -q transplant_glue_push {made} && "  # or the patch was not taken
    library = build.run(f"{half}/libforeign_half.a", f"cd {half}/half && {room.cargo_build()} && {taken}cp {made} ../libforeign_half.a",
                        sources)
    glue = []
    if deque != "own":
        glue = [build.run(f"{hosts}/{deque}/glue.o", f"$cxx -std=c++17 {build.compiler.optimise} -I{hosts}/{deque} -c $in -o $out",
                          [f"{hosts}/{deque}/glue.cc"], after=[f"{hosts}/{deque}/transplant_deque.h"])]
    plain = runtimes_room().Runtime("", True, room.rayon_version([f"{hosts}/own/source/Cargo.toml"]))
    objects = room.objects("transplants_rayon", f"rayon/{deque}", plain, "extras/runtimes/rayon.c")
    build.link(f"{build.folder}/extras/transplants/rayon/{deque}", "", "", [*objects, room.inputs(), *glue, library],
               libs="-ldl $application_libs $deque_libs")


def add(build):
    hosts = f"{build.folder}/extras/hosts/"
    prepared = sorted({path[len(hosts):].split("/include")[0] for path in glob.glob(f"{hosts}*/*/include")})
    rayon = [path.split("/")[-2] for path in sorted(glob.glob(f"{hosts}rayon/*/glue.cc"))]
    rayon += ["own"] if os.path.isdir(f"{hosts}rayon/own") else []
    if not prepared and not rayon:
        return
    room = runtimes_room().Runtimes(build)
    build.flavours["transplants_rayon"] = build.flavours["runtimes"]
    for name in prepared:
        of_headers(build, room, *name.split("/", 1))
    for deque in rayon:
        of_rayon(build, room, deque)
