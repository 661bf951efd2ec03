"""The shape of a machine from hwloc's description of it (--topology=FILE, as `lstopo FILE.xml` writes it): sockets, cores, which of
them share a last cache, and how much farther the other socket is. All other numbers are those of --machine."""

from statistics import median
from xml.etree import ElementTree


class NoTopology(Exception):
    pass


def objects(element, kind):
    return [one for one in element.iter("object") if one.get("type") == kind]


def last_caches(package):
    """Those of the highest level (hwloc 1 calls every cache "Cache")."""
    for kind, depth in (("L3Cache", None), ("Cache", "3"), ("L2Cache", None)):
        found = [one for one in objects(package, kind) if depth in (None, one.get("depth"))]
        if found:
            return found
    return [package]


def alike(what, counts):
    if len(set(counts)) != 1 or counts[0] == 0:
        raise NoTopology(f"{what} differ ({', '.join(map(str, counts))}): only a machine of equal parts can be predicted")
    return counts[0]


def remoteness(root, packages):
    """How many times as far memory of another socket is as a node's own, by the firmware's table; None: it is not told."""
    owner = {node.get("os_index"): place for place, package in enumerate(packages) for node in objects(package, "NUMANode")}
    for matrix in root.iter("distances2"):
        nodes = " ".join(one.text or "" for one in matrix.iter("indexes")).split()
        values = [float(one) for part in matrix.iter("u64values") for one in (part.text or "").split()]
        if matrix.get("type") != "NUMANode" or len(values) != len(nodes) ** 2 or not set(nodes) <= set(owner):
            continue
        rows = [(owner[a] != owner[b], a == b, values[i * len(nodes) + j]) for i, a in enumerate(nodes) for j, b in enumerate(nodes)]
        far, own = [value for away, _, value in rows if away], [value for _, same, value in rows if same]
        if far and median(own) > 0:
            return median(far) / median(own)
    return None


def machine_of(path, machine):
    """The machine with this file's shape. Where the file tells distances, the way to the other socket is as many times that inside of
    a socket; the range reaches to the machine's own number."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as problem:
        raise NoTopology(f"{path} cannot be read as hwloc's XML (lstopo FILE.xml writes it): {problem}") from None
    packages = objects(root, "Package") or objects(root, "Socket") or objects(root, "Machine")
    if not packages:
        raise NoTopology(f"{path} describes no processor; lstopo FILE.xml writes a description that does")
    cores = alike("the numbers of cores of the sockets", [len(objects(one, "Core")) for one in packages])
    group = alike("the numbers of cores of the last caches", [len(objects(cache, "Core")) for one in packages for cache in last_caches(one)])
    made = {**machine, **{name: (float(value),) * 3 for name, value in (("sockets", len(packages)), ("cores", cores), ("group", group))}}
    times = remoteness(root, packages)
    if times:
        way, (_, low, high) = machine["same_socket"][0] * times, machine["other_socket"]
        made["other_socket"] = way, min(low, way), max(high, way)
    return made
