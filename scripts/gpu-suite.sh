#!/bin/bash
# Compares games on the GPU with those on the CPU and measures them:
# `gpu/scripts/gpu-suite.sh FOLDER [SECONDS [PART...]]`. Needs what scripts/gpu-pack.sh packs, and a machine with an NVIDIA
# GPU, its driver and NVRTC. What is not done after so many seconds (480) is left out and said so. The parts:
#   games         the games of docs/performance.md, compared and measured           games.csv
#   leaves        leaves of a search, compared and measured, on trees too           leaves.csv, trees.csv
#   python        the tests of the package on the GPU, then a million games         devices.csv
#   environments  every array of a batch beside the CPU's, then a million games     batches.csv
#   counters      hardware counters of two games                                    ncu.txt
#   sheets        all sheets, those of small networks first                         sheets.csv
# All of them but `sheets` have taken some four minutes on 16 cores. FOLDER also takes log.txt.
set -u
dist=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?a folder for the tables}
limit=${2:-480}
parts=("${@:3}")
[ ${#parts[@]} -gt 0 ] || parts=(games leaves python environments counters sheets)
mkdir -p "$out"
work=$(mktemp -d)
started=$(date +%s)
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
grep -m1 "model name" /proc/cpuinfo
# The compiler's library is often there without being known to the loader.
nvrtc=$(find /usr/local /usr/lib /opt -name 'libnvrtc.so*' ! -path '*stubs*' 2>/dev/null | sort | head -1)
driver=$(find /usr/local /usr/lib /opt -name 'libcuda.so*' ! -path '*stubs*' ! -path '*compat*' 2>/dev/null | sort | head -1)
echo "nvrtc: ${nvrtc:-none}, driver: ${driver:-none}"
if [ -n "$driver" ]; then export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}:$(dirname "$driver")"; fi
if [ -n "$nvrtc" ]; then export LD_LIBRARY_PATH="$(dirname "$nvrtc"):${LD_LIBRARY_PATH:-}"; fi
export LUDEX_CUDA_CACHE="$work/cache" XDG_CACHE_HOME="$work/home"
export LUDEX_SHARED=$dist
s=$dist/games
left() { echo $((limit - ($(date +%s) - started))); }
part() {
    case " ${parts[*]} " in *" $1 "*) ;; *) return 1 ;; esac
    echo "== $(($(date +%s) - started)) s: $1"
}
# within SECONDS COMMAND...: no longer than so, nor than is left. What it ends with, if not well, is said.
within() {
    local most=$1 status
    shift
    if [ "$(left)" -lt "$most" ]; then most=$(left); fi
    if [ "$most" -lt 5 ]; then echo "LEFT OUT for want of time: $*" | tee -a "$out/log.txt"; return 1; fi
    timeout "$most" "$@"
    status=$?
    [ $status -eq 0 ] || echo "ended with $status after at most $most s: $*" | tee -a "$out/log.txt"
    return $status
}
# play SECONDS FILE MEASURED SHAPES SHEET...: rows of a table, by the program `playouts`.
play() {
    local table=$2 seconds=$3 shapes=$4 most=$1 folder
    shift 4
    folder=$(mktemp -d -p "$work")
    # One at a time on the GPU.
    touch "$work/gpu.lock"
    ln "$work/gpu.lock" "$folder/gpu.lock"
    within "$most" "$dist/playouts" "$seconds" "$shapes" "$folder" "$@" >> "$folder/log" 2>&1 ||
        for sheet in "$@"; do echo "$(basename "$sheet" .kif),${shapes//,/;},,,,,,,,,,,,,,,,,,,no result in $most s or an error" >> "$folder/ended.csv"; done
    cat "$folder/log" >> "$out/log.txt"
    grep -v "^game, shape\|^G states\|multiprocessors" "$folder/log" | tail -n 12 | cut -c1-160
    { tail -n +2 "$folder/playouts.csv" 2>/dev/null; [ -s "$folder/playouts.csv" ] || cat "$folder/ended.csv" 2>/dev/null; } >> "$table"
}
head='game,shape,gates,ops,units,block,network_s,lanes_s,source_s,compile_s,cached_s,registers,local,words,states_s,playouts,transitions,length,cpu_length,worst,why_not'
chess=
if part games; then
    echo "$head" > "$out/games.csv"
    # Chess takes its time to become a network: beside the others.
    ( play 200 "$work/chess.csv" 1 r12:512:2:0 "$s/chess.kif" ) > "$work/chess.out" 2>&1 &
    chess=$!
    play 60 "$out/games.csv" 0.5 auto "$s"/{tictactoe,connectfour,breakthrough,reversi,checkers,hex,gomoku_15x15}.kif
fi
if part leaves; then
    within 100 "$dist/gpu_leaves" 0.5 "$out" "$s"/{tictactoe,connectfour,breakthrough,reversi,checkers,hex,gomoku_15x15}.kif 2>&1 |
        tee -a "$out/log.txt" | cut -c1-200
    for game in connectfour breakthrough reversi checkers hex; do
        for device in cpu cuda; do
            within 30 "$dist/ludex" bench "$s/$game.kif" --leaves --device $device --seconds 2 --json 2>> "$out/log.txt" |
                sed "s/^/$device /" | tee -a "$out/trees.txt"
        done
    done
    within 30 "$dist/ludex" match "$s/connectfour.kif" ludex ludex --device cuda --threads 4 --startclock 8 --playclock 0.3 \
        --matches 1 2>&1 | tee -a "$out/log.txt" | tail -n 6
fi
if part python; then
    if [ -d "$dist/python" ] && command -v python3 > /dev/null; then
        export PYTHONPATH="$dist/python"
        within 60 python3 -m pytest -q -rs -p no:cacheprovider "$dist/python/tests/test_device.py" 2>&1 |
            tee -a "$out/log.txt" | tail -n 12 | cut -c1-200
        within 40 python3 "$dist/scripts/bench-device.py" 1048576 0.5 2>&1 | tee "$out/devices.csv"
    else
        echo "NOT RUN: no package or no python3"
    fi
fi
if part environments; then
    within 100 "$dist/batches" 1048576 0.5 "$out" "$s"/{tictactoe,connectfour,breakthrough,reversi,checkers,hex}.kif 2>&1 |
        tee -a "$out/log.txt" | cut -c1-160
fi
if part counters; then
    for game in hex reversi; do
        command -v ncu > /dev/null || { echo "NOT RUN: there is no ncu"; break; }
        within 45 ncu --clock-control none --kernel-name play --launch-skip 6 --launch-count 1 \
            --section SpeedOfLight --section ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis \
            --section WarpStateStats --section SchedulerStats --section InstructionStats --section LaunchStats \
            "$dist/playouts" 0.2 auto "$(mktemp -d -p "$work")" "$s/$game.kif" > "$work/ncu.txt" 2>&1
        echo "-- $game"
        grep -E "Duration|Executed Ipc Active|Issue Slots Busy|Compute \(SM\) Throughput|Memory Throughput|Warp Cycles Per Issued|No Eligible|Executed Instructions|stall|bank conflict" "$work/ncu.txt" | head -16 | cut -c1-150
        cat "$work/ncu.txt" >> "$out/ncu.txt"
    done
fi
if part sheets; then
    echo "$head" > "$out/sheets.csv"
    cores=$(nproc)
    mkdir -p "$work/sheets"
    one() { play 90 "$work/sheets/$(basename "$1" .kif).csv" 0.2 auto "$1" > /dev/null; }
    running() { jobs -rp | grep -cvx "${chess:-none}"; }
    # In the order of their networks: what is left out for want of time is large.
    while read -r sheet; do
        while [ "$(running)" -ge $((cores > 2 ? cores - 2 : 1)) ]; do wait -n; done
        [ "$(left)" -gt 10 ] || { echo "$sheet,,,,,,,,,,,,,,,,,,,,left out for want of time" >> "$work/sheets/$sheet.csv"; continue; }
        one "$s/$sheet.kif" &
    done < "$dist/scripts/sheets.txt"
    for job in $(jobs -rp); do [ "$job" = "${chess:-none}" ] || wait "$job"; done
    cat "$work"/sheets/*.csv >> "$out/sheets.csv"
    tail -n +2 "$out/sheets.csv" | awk -F, '$15 > 0 {n++; if ($20 > w) w = $20; if ($10 > c) c = $10} END {print NR " sheets, " n " played, worst deviation " w ", longest compile " c " s"}'
    tail -n +2 "$out/sheets.csv" | awk -F, '!($15 > 0) {print $1 ": " $21}' | cut -c1-150 | head -40
fi
if [ -n "$chess" ]; then
    wait "$chess"
    cat "$work/chess.out"
    cat "$work/chess.csv" >> "$out/games.csv" 2>/dev/null
fi
echo "== $(($(date +%s) - started)) s: tables"
[ ! -f "$out/games.csv" ] || awk -F, '{print $1 "," $2 "," $5 "," $9 "," $10 "," $11 "," $15 "," $20 "," $21}' "$out/games.csv"
[ ! -f "$out/leaves.csv" ] || cat "$out/leaves.csv"
[ ! -f "$out/trees.txt" ] || cat "$out/trees.txt"
