#!/usr/bin/env python3
"""Many matches in a row on one player process, among clients that misbehave.

    scripts/player-endurance.py LUDEX [--matches 100] [--malformed 1000] [--silent 50] [--game tictactoe]

Starts `ludex player`, opens connections that never say anything (and opens them again when the player has
had enough of them), sends malformed requests between the matches, and lets `ludex match` play the matches
against chance. Reports the player's resident memory after every ten matches, its threads and open files at the
end, and whether every match was played without a substituted move.
"""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import threading


def resident_megabytes(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1000


def status(pid, key):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(key):
            return int(line.split()[1])


def malformed(address, dice):
    """One request that makes no sense; true if it was answered as such or the connection was closed."""
    kinds = [
        b"POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n( INF",
        b"POST / HTTP/1.0\r\nContent-Length: nonsense\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n",
        b"GET /%28%28%28 HTTP/1.0\r\n\r\n",
        b"BREW /coffee HTTP/1.0\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 17\r\n\r\n( START m x (((()",
        b"POST / HTTP/1.0\r\nContent-Length: 24\r\n\r\n( START m x ( ( ) ) 1 1 )",
        bytes(dice.randrange(256) for _ in range(dice.randrange(200))) + b"\r\n\r\n",
    ]
    with socket.create_connection(address, timeout=30) as connection:
        try:
            connection.sendall(dice.choice(kinds))
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        except OSError:
            return True
        return not answer.startswith(b"HTTP/1.0 200")


class Silent(threading.Thread):
    """Holds a connection open without a word, for as long as the program runs."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address = address

    def run(self):
        while True:
            try:
                with socket.create_connection(self.address) as connection:
                    connection.recv(1)
            except OSError:
                return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ludex")
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--malformed", type=int, default=1000)
    parser.add_argument("--silent", type=int, default=50)
    parser.add_argument("--game", default="tictactoe")
    options = parser.parse_args()
    player = subprocess.Popen([options.ludex, "player", "--port", "0"], stdout=subprocess.PIPE, text=True)
    where = player.stdout.readline().split("http://")[-1].strip()
    host, port = where.rsplit(":", 1)
    address = (host, int(port))
    for _ in range(options.silent):
        Silent(address).start()
    dice = random.Random(1)
    accepted = substituted = unfinished = 0
    resident = []
    for number in range(options.matches):
        for _ in range(options.malformed * (number + 1) // options.matches - options.malformed * number // options.matches):
            accepted += not malformed(address, dice)
        command = [options.ludex, "match", options.game, where, "random", "--startclock", "20", "--playclock", "2"]
        command += ["--seed", str(number), "--json"]
        run = subprocess.run(command, capture_output=True, text=True)
        answer = json.loads(run.stdout.splitlines()[0])
        substituted += len(answer["errors"])
        unfinished += not answer["completed"]
        if (number + 1) % 10 == 0:
            resident.append(round(resident_megabytes(player.pid)))
    report = {
        "matches": options.matches,
        "unfinished": unfinished,
        "substituted_moves": substituted,
        "malformed": options.malformed,
        "malformed_accepted": accepted,
        "resident_mb": resident,
        "threads": status(player.pid, "Threads"),
        "open_files": len(os.listdir(f"/proc/{player.pid}/fd")),
        "alive": player.poll() is None,
    }
    print(json.dumps(report))
    player.terminate()
    player.wait()
    sound = not (unfinished or substituted or accepted) and report["alive"]
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
