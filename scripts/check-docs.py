#!/usr/bin/env python3
"""Checks the pages of the project: links, names, spelling, lines.

    scripts/check-docs.py [--no-spelling]

Looks at every .md file under version control and says, with file and line, status 1:

  links      a relative link or anchor that leads nowhere; a page of docs/ that docs/SUMMARY.md does not list
  names      a file that a page names in backticks and that is not there; a `ludex` command or option that is none;
             another oldest Rust than that of Cargo.toml
  tables     a table that is not what records/ says (scripts/records.py --check)
  lines      prose of more than 120 columns (tables, code and lines without a blank are left alone)
  spelling   misspellings that codespell knows

codespell is a package of PyPI. Where it is not installed it is put into target/codespell; where that is not possible
the few misspellings that this file knows are looked for, and the rest is said not to have been run.
Python 3.9 or later, standard library otherwise.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 120

# What codespell takes for misspelt and is not.
FINE = "contrl,ot,te"

# Looked for where codespell cannot be had.
KNOWN = """accomodate acheive adress agressive alot apparant arguement availible begining beleive calender catagory
commited concensus definately dependant desparate dissapear embarass enviroment existance explaination familar finaly
foriegn futher goverment gaurd happend immediatly independant intrest knowlege lenght libary maintainance neccessary
noticable occassion occured occurence paralel permanant persistant posession prefered privelege proccess publically
recieve recomend refered relevent seperate sucess succesful suprise teh thier tommorow truely untill usefull wether
wierd writting""".split()


CRATES = {path.name.removeprefix("ludex-") for path in (ROOT / "crates").iterdir()}


def tracked():
    """Every file of the project, also those that are not committed yet."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def slug(heading):
    """The anchor of a heading, as GitHub and mdBook make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def prose(text):
    """The lines of a page with their numbers, and whether they are prose."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        fence = line.lstrip().startswith("```")
        yield number, line, not code and not fence and not line.startswith("    ")
        code ^= fence


def anchors(text):
    found = {}
    for _, line, is_prose in prose(text):
        heading = re.match(r"#+ (.+)", line)
        if is_prose and heading:
            name = slug(heading[1])
            found[name] = found.get(name, -1) + 1
    return {name if count == 0 else f"{name}-{count}" for name, last in found.items() for count in range(last + 1)}


def links(page, text, pages):
    for number, line, is_prose in prose(text):
        if not is_prose:
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            there = (ROOT / page).parent / path if path else ROOT / page
            if not there.exists():
                yield number, f"the link `{target}` leads nowhere"
            elif anchor and there.suffix == ".md":
                name = str(there.resolve().relative_to(ROOT))
                if anchor not in anchors(pages.get(name) or there.read_text(encoding="utf-8")):
                    yield number, f"the link `{target}` has no such heading"


def names(text, files, commands, options):
    endings = r"(?:rs|py|sh|toml|csv)"
    for number, line, is_prose in prose(text):
        for quoted in re.findall(r"`([^`]+)`", line) if is_prose else []:
            for name in re.findall(rf"(?<![\w./*<-])([\w.<>-]+(?:/[\w.*<>-]+)*\.{endings})(?![\w/])", quoted):
                if not any(re.search(rf"(?:^|/){pattern(name)}$", file) for file in files):
                    yield number, f"`{name}` is no file of the project"
            for name in re.findall(r"(?<![\w./-])((?:crates|scripts|docs|testdata|records)/[\w./*<>-]*[\w*>])", quoted):
                if not any(re.match(rf"{pattern(name)}(?:/|$)", file) for file in files):
                    yield number, f"`{name}` is no file or folder of the project"
        shown = line if not is_prose else " ".join(re.findall(r"`(ludex [^`]+)`", line))
        for call in re.findall(r"(?:^|[\s|&;`(]|\$ )ludex ([a-z][^`|&;>#]*)", shown):
            words = call.split()
            if not re.fullmatch(r"[a-z-]+[.,:;]?", words[0]) or (not is_prose and not re.match(r"\s*(\$ |ludex)", line)):
                continue
            if words[0].rstrip(".,:;") not in commands | {"help"}:
                if line.lstrip().startswith(("$ ludex", "ludex")) and is_prose is False and "listens" not in call:
                    yield number, f"`ludex {words[0]}` is no command"
                elif is_prose:
                    yield number, f"`ludex {words[0]}` is no command"
                continue
            for option in re.findall(r"(?<!\S)\[?(--[a-z][\w-]*)", call):
                if option not in options:
                    yield number, f"`ludex {words[0]}` has no option `{option}`"


def oldest_rust(text):
    declared = re.search(r'^rust-version = "([\d.]+)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]
    for number, line in enumerate(text.splitlines(), 1):
        for version in re.findall(r"Rust (\d+\.\d+)", line):
            if version != declared:
                yield number, f"Rust {version}; Cargo.toml has {declared}"


def pattern(name):
    """Which files a name can mean: `*`, `<name>` and NAME stand for anything, `gdl/x.rs` for that file of ludex-gdl."""
    first, _, rest = name.partition("/")
    anything = lambda text: re.sub(r"\\\*|<[\w-]+>|NAME", "[^/]*", re.escape(text))
    if rest and first in CRATES:
        return rf"(?:ludex-{first}|{first})/(?:src/)?{anything(rest)}"
    return anything(name)


def command_line(files):
    """The commands and options that the source defines."""
    source = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files
                       if file.startswith("crates/ludex-cli/src/args/"))
    variants = re.search(r"pub enum Command \{(.*?)\n\}", source, re.S)
    commands = {name.lower() for name in re.findall(r"^    (\w+)\(", variants[1] if variants else "", re.M)}
    options = {"--help", "--version"}
    for attribute, name in re.findall(r"#\[arg\((.*?)\)\]\s*(?:pub )?(\w+):", source, re.S):
        renamed = re.search(r'\blong = "([\w-]+)"', attribute)
        if renamed or re.search(r"\blong\b", attribute):
            options.add("--" + (renamed[1] if renamed else name.replace("_", "-")))
    return commands, options


def lines(text):
    for number, line, is_prose in prose(text):
        if is_prose and len(line) > WIDTH and not line.startswith("|") and " " in line.strip():
            yield number, f"{len(line)} columns of prose; {WIDTH} are the most"


def contents(pages):
    """Every page of the book is listed, and only those."""
    listed = set(re.findall(r"\]\(([\w.-]+\.md)\)", pages.get("docs/SUMMARY.md", "")))
    for page in sorted(pages):
        name = page.removeprefix("docs/")
        if page.startswith("docs/") and "/" not in name and name != "SUMMARY.md" and name not in listed:
            yield 1, f"docs/{name} is not listed"


def codespell():
    """The command, installed if need be; None where that is not possible."""
    place = ROOT / "target/codespell"
    for command in [["codespell"], [sys.executable, "-m", "codespell_lib"]]:
        try:
            if subprocess.run([*command, "--version"], capture_output=True).returncode == 0:
                return command, {}
        except OSError:
            pass
    environment = {"PYTHONPATH": str(place)}
    if not (place / "codespell_lib").is_dir():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(place), "codespell"]
        try:
            subprocess.run(install, capture_output=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired):
            return None
    return ([sys.executable, "-m", "codespell_lib"], environment) if (place / "codespell_lib").is_dir() else None


def spelling(pages):
    import os

    found = codespell()
    if found is None:
        print("NOT RUN: codespell is not there and cannot be installed; only a few misspellings were looked for", file=sys.stderr)
        wrong = re.compile(rf"\b({'|'.join(KNOWN)})\b", re.I)
        for page, text in pages.items():
            for number, line in enumerate(text.splitlines(), 1):
                for word in wrong.findall(line):
                    yield page, number, f"`{word}` is misspelt"
        return
    command, extra = found
    done = subprocess.run([*command, "--ignore-words-list", FINE, *pages], cwd=ROOT, capture_output=True, text=True,
                          env=os.environ | extra)
    for page, number, rest in re.findall(r"^(\S+?):(\d+): (.+)$", done.stdout, re.M):
        yield page.removeprefix("./"), int(number), f"spelling: {rest}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-spelling", action="store_true", help="leave spelling out")
    arguments = parser.parse_args()
    files = tracked()
    pages = {file: (ROOT / file).read_text(encoding="utf-8") for file in files if file.endswith(".md")}
    commands, options = command_line(files)
    found = []
    for page, text in pages.items():
        checks = [links(page, text, pages), lines(text)]
        # What has changed tells of what was there.
        if page != "CHANGELOG.md":
            checks += [names(text, files, commands, options), oldest_rust(text)]
        found += [(page, number, what) for check in checks for number, what in check]
    found += [("docs/SUMMARY.md", number, what) for number, what in contents(pages)]
    if not arguments.no_spelling:
        found += spelling(pages)
    for page, number, what in sorted(set(found)):
        print(f"{page}:{number}: {what}")
    tables = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/records.py"), "--check"], capture_output=True, text=True)
    print(tables.stdout + tables.stderr, end="")
    if found or tables.returncode != 0:
        return 1
    print(f"{len(pages)} pages: links, names, tables, lines{'' if arguments.no_spelling else ', spelling'}: nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
