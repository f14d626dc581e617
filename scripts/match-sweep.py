#!/usr/bin/env python3
"""A short match of the player against random on every rule sheet of a folder.

    scripts/match-sweep.py LUDEX FOLDER [--startclock 5] [--playclock 2] [--steps 3] [--streams 2] [--only NAME...]

Starts `ludex player` (one process a stream, used for all its sheets), lets `ludex match` run one match a
sheet, with the player in the first role and chance in the others, and reports for each sheet whether every
answer was a legal move in time, and the player's greatest memory. A line of JSON a sheet goes to standard
output; the summary goes to standard error. Exit status 1 if there is an exception.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import threading


def roles(text):
    """The roles of a sheet in KIF, chance left out."""
    text = re.sub(r";[^\n]*", "", text)
    names = re.findall(r"\(\s*role\s+([^\s()?]+)\s*\)", text, re.IGNORECASE)
    distinct = list(dict.fromkeys(names))
    return [name for name in distinct if name.lower() != "random"] if len(distinct) > 1 else distinct


def peak_megabytes(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1000
    return None


def forget_peak(pid):
    with open(f"/proc/{pid}/clear_refs", "w") as file:
        file.write("5")


class Stream(threading.Thread):
    def __init__(self, options, sheets, lock):
        super().__init__()
        self.options, self.sheets, self.lock = options, sheets, lock
        self.results = []

    def start_player(self):
        command = [self.options.ludex, "player", "--port", "0", "--threads", str(self.options.threads)]
        player = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return player, player.stdout.readline().split("http://")[-1].strip()

    def run(self):
        player, address = self.start_player()
        while True:
            with self.lock:
                if not self.sheets:
                    break
                sheet = self.sheets.pop(0)
            result = self.match(sheet, player, address)
            with self.lock:
                self.results.append(result)
                print(json.dumps(result), flush=True)
            if player.poll() is not None:
                player, address = self.start_player()
        player.terminate()
        player.wait()

    def match(self, sheet, player, address):
        options = self.options
        forget_peak(player.pid)
        count = len(roles(sheet.read_text(errors="replace")))
        clocks = ["--startclock", str(options.startclock), "--playclock", str(options.playclock)]
        command = [options.ludex, "match", str(sheet), address, *["random"] * (count - 1), *clocks]
        command += ["--steps", str(options.steps), "--engine", "tree", "--json"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return {"game": sheet.stem, "fine": False, "why": "the match did not end"}
        if player.poll() is not None:
            return {"game": sheet.stem, "fine": False, "why": f"the player ended: {player.stderr.read()[-500:]}"}
        peak = peak_megabytes(player.pid)
        try:
            answer = json.loads(run.stdout.splitlines()[0])
        except (IndexError, json.JSONDecodeError):
            return {"game": sheet.stem, "fine": False, "why": run.stderr.strip()[-300:] or "no answer"}
        return {
            "game": sheet.stem,
            "fine": not answer["errors"] and peak < 4000,
            "steps": answer["steps"],
            "errors": answer["errors"],
            "peak_mb": round(peak),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ludex")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--startclock", type=int, default=5)
    parser.add_argument("--playclock", type=int, default=2)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--streams", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    sheets = sorted(options.folder.glob("*.kif"))
    if options.only:
        sheets = [sheet for sheet in sheets if sheet.stem in options.only]
    total, lock = len(sheets), threading.Lock()
    streams = [Stream(options, sheets, lock) for _ in range(options.streams)]
    for stream in streams:
        stream.start()
    for stream in streams:
        stream.join()
    results = [result for stream in streams for result in stream.results]
    exceptions = [result for result in results if not result["fine"]]
    peak = max((result.get("peak_mb", 0) for result in results), default=0)
    print(f"{total} sheets, {len(exceptions)} exceptions, at most {peak} MB", file=sys.stderr)
    for result in exceptions:
        print(f"  {result['game']}: {result.get('errors') or result.get('why')}", file=sys.stderr)
    sys.exit(1 if exceptions else 0)


if __name__ == "__main__":
    main()
