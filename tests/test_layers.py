#!/usr/bin/env python3
"""Dependencies point one way: a file of src/ includes only from its own folder and from those before it in ORDER. A
header declares what its own folder defines."""
import os
import re
import sys

ORDER = [
    "base",
    "nn/kernels", "nn",
    "lab/kind", "lab/data", "lab/config", "lab/record", "lab/training", "lab/kind/sequences", "lab/kind/images", "lab/bench", "lab/sweep",
    "report/document", "report/frame", "report/statistics", "report/write", "report/images", "report/content", "report",
    "check",
    "lesson",
    "cli",
]
DECLARED = re.compile(r"^(?:[a-z]\w*[ *]+)+(\w+)\([^{}]*?\)(?:\s*__attribute__\(\(.*?\)\))?;", re.M | re.S)
DEFINED = re.compile(r"^(?:[a-z]\w*[ *]+)+(\w+)\([^;{}]*?\)\s*\{", re.M | re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:base|nn|lab|report|check|lesson|cli)/[^"]+)"')


def files(root):
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.join(folder, name)


def functions(root):
    """Returns the places of what headers declare and the folders of what sources define, each by name."""
    declared, defined = {}, {}
    for path in files(root):
        shown = os.path.relpath(path, root)
        text = COMMENT.sub("", open(path, encoding="utf-8").read())
        if path.endswith(".h"):
            declared.update({name: shown for name in DECLARED.findall(text)})
        else:
            defined.update({match[1]: os.path.dirname(shown) for match in DEFINED.finditer(text)
                            if not match[0].startswith("static")})
    return declared, defined


def main():
    root = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")
    wrong, n_include = [], 0
    for path in files(root):
        shown = os.path.relpath(path, root)
        folder = os.path.dirname(shown)
        if folder not in ORDER:
            wrong.append(f"src/{shown}: the folder {folder} has no place in ORDER of tests/test_layers.py; give it one")
            continue
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            n_include += 1
            used = os.path.dirname(match[1])
            if used not in ORDER or ORDER.index(used) > ORDER.index(folder):
                wrong.append(f"src/{shown}:{number}: {folder} comes before {used}, and must not include {match[1]}")
    declared, defined = functions(root)
    for name, header in declared.items():
        if name in defined and defined[name] != os.path.dirname(header):
            wrong.append(f"src/{header}: {name} is defined in {defined[name]}; declare it there")
    n_function = len(declared.keys() & defined.keys())
    print("\n".join(wrong) if wrong else
          f"{n_include} includes, all of them one way; {n_function} functions declared where they are defined")
    return 1 if wrong or n_include < 100 or n_function < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
