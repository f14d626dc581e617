#!/usr/bin/env python3
"""All tests of the workspace, several test programs at a time.

`cargo test` runs one test program after the other, and many of them have one long test at their end: half of the
processors then wait. Here as many programs run as there are processors, those that took longest the last time (else
the largest files) first, and the examples in the documentation, which are compiled one by one, before them. What a
program prints is shown when it fails.

    scripts/run-tests.py                              all of them
    scripts/run-tests.py -p ludex-gdl -p ludex-engine two packages
    scripts/run-tests.py --locked --workspace         options of cargo are handed on

The exit status is 1 if a test failed or none ran.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMES = ROOT / "target" / "test-times.json"
RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", re.MULTILINE)


def programs(options):
    """Compiles the tests; their names, files and the folders that they run in."""
    command = ["cargo", "test", "--release", "--no-run", "--message-format=json-render-diagnostics", *options]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.returncode)
    found = []
    for line in built.stdout.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder = pathlib.Path(message["manifest_path"]).parent
            target = message["target"]
            name = f"{folder.name} {'unit tests' if target['kind'] != ['test'] else target['name']}"
            found.append((name, message["executable"], folder))
    return found


def run(name, command, folder):
    """Runs one program; what cargo would tell it in its environment, it is told."""
    environment = dict(os.environ, CARGO_MANIFEST_DIR=str(folder))
    started = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    )
    return name, done.returncode, done.stdout, time.monotonic() - started


def main():
    options = sys.argv[1:]
    if "-h" in options or "--help" in options:
        print(__doc__)
        return
    if not any(option in ("-p", "--package", "--workspace") for option in options):
        options.append("--workspace")
    known = json.loads(TIMES.read_text()) if TIMES.exists() else {}
    found = programs(options)
    found.sort(key=lambda entry: (-known.get(entry[0], 0.0), -os.path.getsize(entry[1])))
    jobs = [("documentation", ["cargo", "test", "--release", "--doc", "--quiet", *options], ROOT)]
    jobs += [(name, [program, "--quiet"], folder) for name, program, folder in found]
    passed = failed = ignored = 0
    broken = []
    with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run, *job) for job in jobs]):
            name, status, output, seconds = done.result()
            known[name] = round(seconds, 1)
            counts = [tuple(map(int, counts)) for counts in RESULT.findall(output)]
            passed += sum(count[0] for count in counts)
            failed += sum(count[1] for count in counts)
            ignored += sum(count[2] for count in counts)
            print(f"{'FAILED' if status else 'ok':<6} {seconds:7.1f} s  {name}", flush=True)
            if status:
                broken.append(name)
                # A program that was ended by a signal has counted nothing.
                failed += 0 if any(count[1] for count in counts) else 1
                print(output, flush=True)
    TIMES.write_text(json.dumps(known, indent=1, sort_keys=True))
    if broken:
        print("failed: " + ", ".join(broken))
    print(f"{passed} passed, {failed} failed, {ignored} skipped")
    sys.exit(1 if broken or failed or passed == 0 else 0)


if __name__ == "__main__":
    main()
