"""header.py: one deque as a header that stands alone, under names of its own, for another program.

The code is the header of queues/ and what it uses of queues/deque.h and queues/parts/, with other names and the contract's
comments.
Deques that link their items carry pointers to a struct NAME_link, with which an object must begin. One program, C11 or C++17,
can include several such headers.
"""

import re
import textwrap
from pathlib import Path

from harness.judging.git import answer
from harness.judging.run_folder import Problem

ROOT = Path(__file__).resolve().parent.parent
QUEUES = ROOT / "queues"
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Parts of deque.h that describe a deque to the suite.
TRAITS = re.compile(r"\nenum deque_owner_order .*?\nstruct deque_traits \{.*?\n\};\n", re.S)
FORM = re.compile(r"/\*((?:(?!\*/).)*?)\*/\n#define DEQUE_(\w+) \d+\n", re.S)
INCLUDE = re.compile(r'^#include "((?:parts/)?\w+)\.h"\n', re.M)
CONTRACT = ("deque", "parts/forms", "parts/copy", "parts/fences")  # the rest of queues/parts/ belongs to the deque's own text
WIDTH = 112


class CannotExport(Problem):
    """The request is understood, but cannot be exported."""


def deques():
    return sorted(path.stem for path in QUEUES.glob("*.h") if path.name != "deque.h")


def text_of(name):
    """A header of queues/: "chase_lev", "parts/ring"."""
    return (QUEUES / f"{name}.h").read_text().replace("#pragma once\n", "")  # the exported one has a guard of its own


def includes(name):
    """[(the #include, name of the header)] of a header; in queues/parts/ neighbours include each other."""
    return [(found[0], ("parts/" * name.startswith("parts/")) + found[1]) for found in INCLUDE.finditer(text_of(name))]


def source_of(deque, seen=None):
    """The text of the deque's header with the headers that it includes, each once, without the contract's, and without what it
    redefines."""
    text, seen = text_of(deque), {*CONTRACT} if seen is None else seen
    redefined = [macro for macro in ("DEQUE_NATIVE", "DEQUE_TRAITS") if f"#define {macro}" in text]
    for line, name in includes(deque):
        source = "" if name in seen or seen.add(name) else source_of(name, seen)
        for macro in redefined:
            source = without_definition(source, macro)
        text = text.replace(line, source + "\n", 1)
    return re.sub(r"^#undef DEQUE_\w+\n", "", text, flags=re.M)


def built_of(deque):
    """The deque's name and those of the headers that it includes."""
    return {deque.split("/")[-1]}.union(*(built_of(name) for _, name in includes(deque) if name not in CONTRACT))


def contract_text():
    """The text of deque.h, with forms.h in its place."""
    return INCLUDE.sub(lambda found: text_of(found[1]), text_of("deque"))


def part(name):
    """What a header of queues/parts/ defines."""
    text = INCLUDE.sub("", text_of(f"parts/{name}"))
    return re.sub(rf"/\* {name}\.h: (.)", lambda found: "/* " + found[1].upper(), text, count=1) + "\n"


def decided(text):
    """The text with each `#ifdef SWITCH ... #else ... #endif` decided. A header that includes another after `#define SWITCH` thus
    becomes a deque of its own."""
    kept, open_ones, defined = [], [], set()  # of each open condition: is its branch taken? None: it stays as it is
    for line in text.splitlines(keepends=True):
        words = line.split()
        directive = words[0] if words else ""
        if directive == "#define" and len(words) == 2 and f"#ifdef {words[1]}\n" in text:
            defined.add(words[1])
        elif directive == "#ifdef":
            open_ones.append(words[1] in defined)
        elif directive in ("#if", "#ifndef"):
            open_ones.append(None)
            kept.append(line)
        elif directive in ("#else", "#endif") and open_ones and open_ones[-1] is not None:
            open_ones[-1] = not open_ones[-1]
            if directive == "#endif":
                open_ones.pop()
        else:
            if directive == "#endif":
                open_ones.pop()
            if all(branch is not False for branch in open_ones):
                kept.append(line)
    return "".join(kept)


def without_definition(text, macro):
    """The text without `#define MACRO ...` and its continuation lines."""
    return re.sub(rf"#define {macro}\b(?:[^\n]*\\\n)*[^\n]*\n", "", text)


def trait(text, name):
    found = re.search(rf"\.{name} = (\"(?:[^\"]|\"\s*\")*\"|\w+)", text)
    return re.sub(r'"\s*"', "", found.group(1)).strip('"') if found else ""


def native(text):
    """The optional forms that the deque has itself."""
    found = re.search(r"#define DEQUE_NATIVE ((?:.*\\\n)*.*)", text)
    return {word.lower() for word in re.findall(r"\bDEQUE_(\w+)", found.group(1) if found else "")}


def contract(has):
    """The operations' comments, for the forms that this deque has, and the rules."""
    def lines_of(comment):
        return [re.sub(r"^(/\*| \*)? ?", "", line).rstrip() for line in comment.splitlines()]
    head = lines_of(COMMENT.search(text_of("deque")).group())
    first = next(i for i, line in enumerate(head) if line.lstrip().startswith("int    deque_init"))
    self = next(i for i, line in enumerate(head) if line.startswith("`self` is"))
    last = next(i for i, line in enumerate(head) if line.startswith("- <stdatomic.h>"))
    kept = head[first:self - 1]
    for comment, form in FORM.findall(text_of("parts/forms")):
        if form.lower() in has and form != "LISTS":
            kept += [f"  {line}".rstrip() for line in lines_of(comment)]
    text = "\n".join(re.sub(r"(; |\);) {2,}", r"\1  ", line) for line in [*kept, "", *head[self:last]])
    return text.replace("unless the traits say DEQUE_BLOCKING", "unless it is called blocking above") \
        .replace("where the traits do not ask for one", "unless one is needed, as said above").splitlines()


def version():
    released = re.search(r"^version: *(\S+)", (ROOT / "CITATION.cff").read_text(), re.M).group(1)
    commit = answer("rev-parse", "--short", "HEAD", root=ROOT)  # without git the version alone
    changed = commit and answer("status", "--porcelain", "--untracked-files=no", root=ROOT)
    return " ".join(filter(None, ["stealbench", released, commit, changed and "with uncommitted changes"]))


def not_checked(checked):
    """How the first line of a header begins of which nothing was checked."""
    return "" if checked else "NOT CHECKED. "


def comment(paragraphs):
    lines = []
    for paragraph in paragraphs:
        if lines:
            lines.append("")
        lines += paragraph if isinstance(paragraph, list) else textwrap.wrap(paragraph, WIDTH)
    body = "\n".join(f" * {line}".rstrip() for line in lines)
    return "/*" + body[2:] + "\n */\n"


MACROS = re.compile(r"^#define (\w+)", re.M)
ORDINARY = re.compile(r"^(?:static|DEQUE_OPERATION|DEQUE_SLOW_PATH|enum|struct|bool|void|int|size_t|uint\d+_t|double|const|"
                      r"__attribute__)(?:(?: __attribute__)?\(\([\w, ]*\)\))?"
                      r"[^;{}=()]*?(?:_Atomic\([^)]*\)[^;{}=()]*?)?\b(\w+)\s*(?:\(|=|\[|;)", re.M)
TAGS = re.compile(r"^(?:struct|enum|union) (\w+) \{", re.M)
VALUES = re.compile(r"^enum (?:\w+ )?\{([^}]*)\}", re.M)


def names_of(text):
    """The names that a text defines at file scope: (ordinary names and macros, tags as "struct NAME")."""
    bare = COMMENT.sub(" ", text)
    ordinary = set(MACROS.findall(bare)) | set(ORDINARY.findall(bare))
    for words in VALUES.findall(bare):
        ordinary.update(word.split("=")[0].strip() for word in words.split(","))
    tags = {" ".join(found.group().split()[:2]) for found in TAGS.finditer(bare)}
    return {name for name in ordinary if re.fullmatch(r"[A-Za-z]\w+", name)} - {"struct", "pool", "deque"} | tags


def paragraphs(text):
    """Definitions and declarations with the comments before them, separated by blank lines at the outermost level, and by none
    between #if and #endif."""
    found, depth, kept = [], 0, []
    for line in text.splitlines(keepends=True):
        code = re.sub(r"/\*.*?\*/|//.*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'", "", line)
        depth += code.count("{") - code.count("}")
        depth += code.startswith("#if") - code.startswith("#endif")
        kept.append(line)
        if depth == 0 and not line.strip():
            found.append("".join(kept))
            kept = []
    return found + ["".join(kept)]


def reached(text, roots):
    """The text without the definitions that no root needs."""
    parts = [(paragraph, {name.split()[-1] for name in names_of(paragraph)}, set(re.findall(r"\w+", COMMENT.sub(" ", paragraph))))
             for paragraph in paragraphs(text)]
    wanted, size = set(roots), 0
    while size != len(wanted):
        size = len(wanted)
        for _, defined, used in parts:
            wanted |= used if not defined or defined & wanted else set()
    return "".join(paragraph for paragraph, defined, _ in parts if not defined or defined & wanted)


def renamed(text, deque, prefix, others=()):
    """Puts the prefix before every name that the text defines: those of the contract, the deque's own, and these others."""
    own = built_of(deque) - {"deque"}
    names = "|".join(sorted(own))
    pattern = rf"\b(?:(?P<own>{names})_(?=\w)|(?P<OWN>{names.upper()})_(?=[A-Z])|(?P<whole>struct deque)\b|" \
              r"deque_(?=[a-z])|(?P<macro>DEQUE_)(?=[A-Z])|PREFIX_)\w*" + "".join(rf"|\b(?:{name})\b" for name in others)

    def new(found):
        word = found.group()
        if word in others:
            return f"{prefix.upper() if word.isupper() else prefix}_{word}"
        if word in deques():  # of another deque, in a comment
            return word
        if found["own"] or found["whole"]:
            return f"struct {prefix}_deque" if found["whole"] else f"{prefix}_{word}"
        if found["OWN"]:
            return f"{prefix.upper()}_{word}"
        return f"{prefix.upper() if found['macro'] else prefix}_{word.split('_', 1)[1]}"
    return re.sub(pattern, new, text)


BOUNDS = {"DEQUE_FIXED": "a fixed capacity", "DEQUE_GROWABLE": "growing", "DEQUE_LINKED": "linked, without a capacity"}
THIEVES = {"DEQUE_ONE_THIEF": "one thief at a time: callers take turns", "DEQUE_MANY_THIEVES": "any number of thieves"}


def traits(source):
    """The traits as sentences."""
    def said(name):
        return trait(source, name).removeprefix("DEQUE_").lower().replace("_", "-")
    once = "comes out once" if trait(source, "delivery") != "DEQUE_AT_LEAST_ONCE" else "may come out more than once"
    found = [f"The owner takes items {said('owner_order').upper()}; {BOUNDS[trait(source, 'bound')]}; "
             f"{THIEVES[trait(source, 'thieves')]}; an item {once}. Push is {said('push_progress')}, "
             f"pop {said('pop_progress')}, steal {said('steal_progress')}."]
    if trait(source, "needs_self") == "true":
        found.append("A thief needs a deque of its own (`self`).")
    if "poll" in native(source):
        found.append("The owner has to call deque_poll between tasks, or thieves wait in vain.")
    if trait(source, "shared") == "true":
        found.append("The deques of all workers are one: config->first is worker 0's.")
    if trait(source, "mode"):
        values = ", ".join(f"{i} {value}" for i, value in enumerate(trait(source, "mode_values").split("|")))
        found.append(f"config->mode ({trait(source, 'mode')}): {values}.")
    return " ".join(found)


OWNERS = "push|push_at|push_batch|push_list|reserve|commit|pop|pop_from|pop_own|poll|retire"


def with_owner(source):
    """The source with the words of prelude.h that check who calls what is the owner's alone."""
    source = re.sub(r"^struct deque \{\n", r"\g<0>    DEQUE_OWNER_FIELD\n", source, flags=re.M)
    source = re.sub(r"\bdeque_init\(struct deque \*(\w+)[^{;]*\{", r"\g<0>\n    DEQUE_OWNER_NONE(\1);", source)
    return re.sub(rf"\b(deque_(?:{OWNERS}))\(struct deque \*(\w+)[^{{;]*\{{", r'\g<0>\n    DEQUE_OWNER_CALLS(\2, "\1");', source)


def carried(deque, prefix, item):
    """(the deque's source, the type of its items). Raises CannotExport."""
    source = decided(source_of(deque))
    if trait(source, "sound") != "true":
        raise CannotExport(f"{deque} is known to be wrong: {trait(source, 'fault')}")
    if trait(source, "reference") == "true" or trait(source, "keeps_nothing") == "true":
        raise CannotExport(f"{deque} is a reference to measure against, and keeps no contract among threads")
    if "lists" not in native(source):
        return source, item or "void *"
    if item:
        raise CannotExport(f"{deque} links its items: what it carries are pointers to a struct {prefix}_link, with "
                           "which your objects begin; leave out --item")
    return source, "struct deque_link *"


def export(deque, prefix, item, checked=""):
    """checked: what was checked of it (certificate.py)."""
    source, item = carried(deque, prefix, item)
    has = native(source)
    title, origin, said = trait(source, "title"), trait(source, "source"), traits(source)
    about = COMMENT.search(source).group()
    about = [re.sub(r"^(/\*| \*) ?", "", line).rstrip() for line in about.splitlines()[:-1]]
    text = text_of("deque")
    text = TRAITS.sub("\n", text[text.index("/* Two cache lines"):] + "\n")
    if "lists" in has:
        text += re.search(r"/\* Intrusive deques.*?\ntypedef uint64_t deque_ticket;\n\n", text_of("parts/forms"), re.S).group() \
            .replace("#define DEQUE_LISTS 16\n", "")
    text += "".join(part(name) for name, used in (("copy", "deque_copy"), ("fences", "deque_fence_")) if used in source)
    for macro in ("DEQUE_NATIVE", "DEQUE_TRAITS"):
        source = without_definition(source, macro)
    text = text.replace("#define DEQUE_ALLOC(bytes) aligned_alloc(", "#define DEQUE_ALLOC(bytes) DEQUE_MEMORY(aligned_alloc(")
    text = text.replace("/ DEQUE_LINE * DEQUE_LINE)\n", "/ DEQUE_LINE * DEQUE_LINE))\n")
    source = source.replace(COMMENT.search(source).group(), "", 1)
    new = (ROOT / "export" / "new.h").read_text()
    roots = {name for name in names_of(source) | names_of(new) if re.match(r"deque_|DEQUE_(SPILL|STEALABLE|BLOCK)\b", name)}
    body = reached(f"typedef {item} deque_item;\n\n" + text + with_owner(source) + new, roots)
    body = re.sub(r"(?<=\S) {2,}(?=/\*)", " ", body)
    body = re.sub(r"\b_Atomic (\w+)", r"_Atomic(\1)", body).replace("_Atomic(", "DEQUE_ATOMIC(")
    body, prelude = (re.sub(r"\bmemory_order_(?!##)(\w+)", r"DEQUE_ORDER(\1)", part_of) for part_of in
                     (body, (ROOT / "export" / "prelude.h").read_text()))
    top = comment([
        [f"{not_checked(checked)}{prefix}_deque: {title}, one of the work-stealing deques of stealbench. Made by",
         f"./run.sh export {deque} --prefix={prefix}" + (f" --item='{item}'" if "lists" not in has else "")],
        f"Of: {version()}. Source of the algorithm: {origin}.",
        *([checked] if checked else []),
        said,
        f"To find a second thread that calls what is the owner's alone: #define {prefix.upper()}_CHECK_OWNER before each #include.",
        ["What it is:", ""] + renamed("\n".join(about), deque, prefix).splitlines(),
        ["What it does:", ""] + renamed("\n".join(contract(has)), deque, prefix).splitlines(),
    ])
    licence = comment([(ROOT / "LICENSE").read_text().strip().splitlines()])
    guard = f"{prefix.upper()}_DEQUE_H"
    others = sorted(name.split()[-1] for name in names_of(source) if renamed(name, deque, prefix) == name)
    whole = "\n".join([top, licence, f"#ifndef {guard}\n#define {guard}\n",
                       renamed(prelude, deque, prefix), renamed(body, deque, prefix, others)])
    return re.sub(r"\n{3,}", "\n\n", whole).rstrip() + f"\n\n#endif /* {guard} */\n"
