#!/usr/bin/env python3
"""Measurements as data, and the tables that pages show of them.

    scripts/records.py              rewrites the tables of all pages from records/
    scripts/records.py --check      status 1 if a table is not what records/ says, with the place
    scripts/records.py --list       what is recorded, when, from which commit and by which command

A record is a file records/NAME.csv with a line in records/index.json: what it is about, date, commit, machine and
command. Scripts that measure write them by `write`. In a page, what stands between `<!-- record: NAME -->` and
`<!-- end -->` is made here: by the function of that name in VIEWS, or the whole record as a table.
Python 3, standard library only.
"""

import argparse
import csv
import datetime
import json
import pathlib
import platform
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDS = ROOT / "records"
INDEX = RECORDS / "index.json"
MARKED = re.compile(r"(<!-- record: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.S)


def write(name, columns, rows, about, command, where=None):
    """Writes a record, and when, from which commit and where it was made: on this machine, if it is not said."""
    RECORDS.mkdir(exist_ok=True)
    with open(RECORDS / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)
    index = [record for record in read_index() if record["name"] != name]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    index.append({
        "name": name, "about": about, "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip() or "unknown", "machine": where or machine(), "command": command,
    })
    index.sort(key=lambda record: record["name"])
    INDEX.write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"records/{name}.csv: {len(rows)} rows; scripts/records.py brings them into the pages", file=sys.stderr)


def machine():
    """The processor, where the system says it, and the number of cores."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        names = re.findall(r"^model name\s*: (.+)$", text, re.M)
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} cores" if names else platform.machine()


def read_index():
    return json.loads(INDEX.read_text(encoding="utf-8")) if INDEX.exists() else []


def read(name):
    """The rows of a record, each by its columns."""
    with open(RECORDS / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ---------------------------------------------------------------------------------------------- formats


def number(text):
    """The number, or None where there is none."""
    try:
        return float(text)
    except ValueError:
        return None


def short(text):
    """Three digits and a unit; words and nothing as they are."""
    value = number(text) if isinstance(text, str) else text
    if value is None:
        return text or ""
    for unit, letter in [(1e6, "M"), (1e3, "k")]:
        if value >= unit:
            return f"{value / unit:.3g}{letter}" if value / unit < 1000 else f"{value / unit:,.0f}{letter}"
    return f"{value:.3g}"


def ratio(ours, theirs):
    ours, theirs = number(ours), number(theirs)
    if not ours or not theirs:
        return ""
    value = ours / theirs
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def grouped(text):
    """A count with commas; everything else as it is."""
    return f"{int(text):,}" if re.fullmatch(r"\d{4,}", text) else text


def table(header, rows):
    """A table for a page."""
    return ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"] + \
        ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def whole(name):
    """A record as it is."""
    rows = read(name)
    header = [column.replace("_percent", ", %").replace("_", " ") for column in rows[0]]
    return table(header, [[grouped(cell) for cell in row.values()] for row in rows])


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float("nan")


# ------------------------------------------------------------------------------------------------ views


def speed(engine, columns):
    """An engine beside other systems, and the lowest and mean ratio to each."""
    ours = {row["game"]: row for row in read("speed") if row["engine"] == engine}
    peers = {row["game"]: row for row in read("speed-peers")}
    rows = []
    for game, row in ours.items():
        cells = [game, short(row["states_per_second"]), row["build_seconds"]]
        for column, _ in columns:
            cells += [short(peers[game][column]), ratio(row["states_per_second"], peers[game][column])]
        rows.append(cells)
    header = ["game", f"{engine}, states/s", "build s"] + [cell for _, name in columns for cell in (name, "ratio")]
    lines = table(header, rows) + [""]
    for column, name in columns:
        found = {game: float(row["states_per_second"]) / number(peers[game][column])
                 for game, row in ours.items() if number(peers[game][column])}
        lowest = min(found, key=found.get)
        lines.append(f"Lowest ratio to {name}: {found[lowest]:.3g} ({lowest}); geometric mean "
                     f"{geometric_mean(list(found.values())):.3g}.")
    if len(columns) > 1:
        best = {game: max(number(peers[game][column]) or 0 for column, _ in columns) for game in ours}
        compared = [game for game in ours if best[game]]
        doubled = [game for game in compared if float(ours[game]["states_per_second"]) >= 2 * best[game]]
        lines.append(f"At least twice the best of them on {len(doubled)} of {len(compared)} games.")
    return lines


def speed_hand_written():
    ours = {row["game"]: row["states_per_second"] for row in read("speed") if row["engine"] == "propnet"}
    rows = read("speed-hand-written")
    pace = geometric_mean([float(row["hand_written"]) / float(row["hand_written_on_the_peers_page"]) for row in rows])
    return table(
        ["game", "hand-written, states/s, here and now", "the same on the peers' page", "propnet, states/s", "propnet is"],
        [[row["game"], short(row["hand_written"]), short(row["hand_written_on_the_peers_page"]),
          short(ours[row["game"]]), f"1/{float(row['hand_written']) / float(ours[row['game']]):.0f}"] for row in rows],
    ) + ["", f"The hand-written programs ran at {pace:.2f} of the peers' page (geometric mean)."]


def tree_options():
    def brings(row, column):
        other = number(row[column])
        return f"{100 * (float(row['states_per_second']) / other - 1):+.0f} %" if other else row[column]

    rows = read("tree-options")
    swi = [float(row["states_per_second"]) / number(row["swi_prolog"]) for row in rows if number(row["swi_prolog"])]
    ggp = [float(row["states_per_second"]) / number(row["ggp_base_prover"]) for row in rows if number(row["ggp_base_prover"])]
    return table(
        ["game", "states/s", "to SWI-Prolog", "to GGP-Base", "filters bring", "the paper's filters", "dropping brings",
         "sharing brings"],
        [[row["game"], short(row["states_per_second"]), ratio(row["states_per_second"], row["swi_prolog"]),
          ratio(row["states_per_second"], row["ggp_base_prover"]), brings(row, "without_filters"),
          f"{row['papers_filters_percent']} %" if number(row["papers_filters_percent"]) is not None
          else row["papers_filters_percent"],
          brings(row, "without_dropping"), brings(row, "without_sharing")] for row in rows],
    ) + ["", f"Geometric mean of the ratios: {geometric_mean(swi):.3g} to SWI-Prolog over {len(swi)} games, "
             f"{geometric_mean(ggp):.3g} to the GGP-Base prover over {len(ggp)}."]


def tree_preparation():
    rows = sorted(read("tree-preparation"), key=lambda row: -float(row["seconds"]))[:6]
    shown = ", ".join(f"{row['sheet']} {row['seconds']} s" for row in rows)
    return wrapped(f"The longest of 333 sheets: {shown}.")


def batches():
    rows = [row for row in read("batches") if row["hand_written"]]
    others = [f"{row['game']} {short(row['lanes'])}" for row in read("batches") if not row["hand_written"]]
    return table(
        ["game", "hand-written", "lanes", "lanes are"],
        [[row["game"], short(row["hand_written"]), short(row["lanes"]),
          f"{float(row['lanes']) / float(row['hand_written']):.1f}x"] for row in rows],
    ) + ["", *wrapped("Others: " + ", ".join(others) + ".")]


def networks_gates():
    """Ours beside the networks of other systems."""
    ours = {row["sheet"]: row for row in read("networks")}
    rows = []
    for row in read("networks-others"):
        found = ours[row["game"]]
        rows.append([row["game"], grouped(row["gates"]), grouped(found["ground_rules"]), grouped(found["gates"]),
                     grouped(found["gates_read"]), f"{int(found['gates_read']) / int(row['gates']):.2g}"])
    return table(["game", "other systems, gates", "ground rules", "gates built", "gates read", "of theirs"], rows)


def networks_summary():
    rows = read("networks")
    built = [row for row in rows if row["built"] == "yes"]
    seconds = sorted(float(row["cpu_seconds"]) for row in rows)
    slow = [row["sheet"] for row in rows if float(row["cpu_seconds"]) > 2]
    declined = [row["sheet"] for row in rows if row["built"] != "yes"]
    largest = max(built, key=lambda row: int(row["gates_read"]))
    return wrapped(
        f"{len(built)} of {len(rows)} sheets have a network; declined: {', '.join(declined)}. Half of the sheets take "
        f"{statistics.median_low(seconds):.2f} s of processor time or less, nine tenths "
        f"{seconds[int(0.9 * len(seconds))]:.2f} s; {len(slow)} take more than two seconds: {', '.join(slow)}. The largest "
        f"network is that of {largest['sheet']}: {int(largest['ground_rules']):,} ground rules, "
        f"{int(largest['gates_read']):,} gates.")


def vocabulary():
    rows = [row for row in read("vocabulary") if row["fits"] == "yes"]
    every = read("vocabulary")
    lines = []
    for what, value, form in [
        ("fluents", lambda row: int(row["fluents"]), "{:,}"),
        ("words of 64 bits a state", lambda row: -(-int(row["fluents"]) // 64), "{:,}"),
        ("moves, all roles", lambda row: int(row["moves"]), "{:,}"),
        ("moves of the role with most", lambda row: int(row["moves_of_the_role_with_most"]), "{:,}"),
        ("seconds", lambda row: float(row["seconds"]), "{:.2f}"),
    ]:
        values, most = sorted(map(value, rows)), max(rows, key=value)
        figures = [statistics.median_low(values), values[int(0.9 * len(values))], values[int(0.99 * len(values))]]
        lines.append([what, *map(form.format, figures), f"{form.format(value(most))} ({most['sheet']})"])
    quick = sum(float(row["seconds"]) < 0.1 for row in every)
    return [f"Sheets: {len(every)}. The vocabulary fits the default limits: {len(rows)}. {quick} take less than 0.1 s.", ""] + \
        table(["", "median", "90 %", "99 %", "largest"], lines)


def endgame_sheets():
    rows = read("endgame-sheets")
    reached = [row for row in rows if row["depth"] and int(row["depth"]) >= 3]
    complete = [row for row in rows if row["complete"] == "yes" and row not in reached]
    goals = [row for row in rows if row["stopped_by"].startswith("goals")]
    return wrapped(
        f"Of {len(rows)} public sheets, {len(reached)} reached depth 3 within 60 seconds and two million diagram nodes, and on "
        f"{len(complete)} more there was nothing left to find before; on {len(goals)} the limit was met before the goals "
        "were described.")


def endgame_build():
    rows = read("endgame-build")
    shown = {"tictactoe": "Tic-Tac-Toe", "maze": "Maze"}
    return table(
        ["game", "depth", "paper, s", "paper, STRIPS-aware, s", "ours, s", "ours, `--no-strips`, s", "entries"],
        [[shown[row["game"]], row["depth"], row["paper_seconds"] or "-", row["paper_seconds_strips_aware"] or "-",
          row["seconds"], row["seconds_without_strips"], grouped(row["entries"])] for row in rows])


def endgame_invariants():
    rows, before = [], None
    for row in read("endgame-invariants"):
        game = f"{row['game']}, {row['depth']}"
        rows.append(["" if game == before else game, row["assumed"], row["groups"], row["joint_moves"],
                     grouped(row["entries"]), f"{row['ghosts_percent']} %",
                     row["cpu_seconds"] + (f", {row['remark']}" if row["remark"] else "")])
        before = game
    return table(["game, depth", "assumed", "groups", "joint moves", "entries", "ghosts", "CPU s"], rows)


def frame_counts():
    rows = read("frame-counts")
    counted = [row for row in rows if row["agrees"]]
    agreed = [row for row in counted if row["agrees"] == "yes"]
    rest = [row["game"] for row in counted if row["agrees"] == "no"]
    return wrapped(f"{len(agreed)} of {len(counted)} rows that were counted agree with Table 1 to the printed digits. "
                   f"The others: {', '.join(rest)}.")


def frame_times():
    """Where the translation gains or loses most, and how `auto` does over all."""
    rows = read("frame-times")
    for row in rows:
        seconds = {name: float(row[name]) for name in ["original", "direct", "pruned", "relevant"]}
        # Below a hundredth of a second the ratio is that of rounding.
        row["gain"] = seconds["original"] / max(min(seconds["direct"], seconds["pruned"], seconds["relevant"]), 1e-9)
        row["auto"] = seconds[row["auto_takes"]] / max(seconds["original"], 1e-9)
        row["measurable"] = seconds["original"] >= 0.01
    lines = []
    for engine in ["datalog", "tree"]:
        of = [row for row in rows if row["engine"] == engine and row["measurable"]]
        gains = [row["gain"] for row in of]
        best = sorted(of, key=lambda row: -row["gain"])[:5]
        worst = sorted(of, key=lambda row: row["gain"])[:3]
        show = lambda part: ", ".join(f"{row['game']} {row['gain']:.2f}" for row in part)
        lines.append([f"`{engine}`", len(of), f"{geometric_mean(gains):.2f}", show(best), show(worst),
                      f"{max(row['auto'] for row in of):.2f}"])
    return table(["engine", "searches", "gain, geometric mean", "most", "least", "auto/original, at most"], lines)


def prove_figure2():
    rows = []
    for row in read("prove-figure2"):
        sat, clingo, inside = (float(row[key]) for key in ["sat_seconds", "clingo_seconds", "clingo_inside_seconds"])
        rows.append([row["game"], f"`{row['property']}`", row["answer"], row["moves_shown"] or "-", row["sat_seconds"],
                     row["clingo_seconds"], f"{clingo / sat:.0f}", row["clingo_inside_seconds"], f"{inside / sat:.1f}"])
    return table(["game", "property", "answer", "moves shown", "SAT s", "clingo s", "ratio", "clingo inside s", "ratio"], rows)


def strength():
    return table(["game", "matches", "mean goal of `ludex`", "95 %"],
                 [[row["game"], row["matches"], row["mean_goal"], f"± {row['confidence_95']}"] for row in read("strength")])


def wrapped(text, width=110):
    """Prose in lines that an editor can show."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line]


VIEWS = {
    "speed-datalog": lambda: speed("datalog", [("ggp_base_prover", "GGP-Base prover")]),
    "speed-tree": lambda: speed("tree", [("yap_prolog", "YAP Prolog"), ("swi_prolog", "SWI-Prolog"),
                                         ("ggp_base_prover", "GGP-Base prover")]),
    "speed-propnet": lambda: speed("propnet", [("galvanise", "galvanise/ggplib (C++)"), ("sancho", "Sancho (Java)")]),
    "speed-hand-written": speed_hand_written,
    "tree-options": tree_options,
    "tree-preparation": tree_preparation,
    "batches": batches,
    "networks-gates": networks_gates,
    "networks-summary": networks_summary,
    "vocabulary": vocabulary,
    "endgame-sheets": endgame_sheets,
    "endgame-build": endgame_build,
    "endgame-invariants": endgame_invariants,
    "frame-counts": frame_counts,
    "frame-times": frame_times,
    "prove-figure2": prove_figure2,
    "strength": strength,
}


# ------------------------------------------------------------------------------------------------ pages


def view(name):
    """What a page shows, or an error in words."""
    if name in VIEWS:
        return VIEWS[name]()
    if (RECORDS / f"{name}.csv").exists():
        return whole(name)
    sys.exit(f"there is no record and no view `{name}`")


def made(text):
    """The text of a page with its tables made anew."""
    def replaced(found):
        return found[1] + "\n" + "\n".join(view(found[2])) + "\n\n" + found[4]

    return MARKED.sub(replaced, text)


def pages():
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; status 1 if a table is out of date")
    parser.add_argument("--list", action="store_true", help="list the records")
    arguments = parser.parse_args()
    if arguments.list:
        for record in read_index():
            print(f"{record['name']:20} {record['date']}  {record['commit']:8}  {record['command']}")
        return 0
    unnamed = {path.stem for path in RECORDS.glob("*.csv")} ^ {record["name"] for record in read_index()}
    for name in sorted(unnamed):
        print(f"records/index.json: {name} is a file without a line, or a line without a file")
    stale = bool(unnamed)
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = made(text)
        if new == text:
            continue
        if arguments.check:
            line = next(at for at, (old, now) in enumerate(zip(text.splitlines(), new.splitlines() + [""]), 1) if old != now)
            print(f"{page.relative_to(ROOT)}:{line}: not what records/ says; run scripts/records.py")
            stale = True
        else:
            page.write_text(new, encoding="utf-8")
            print(page.relative_to(ROOT))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
