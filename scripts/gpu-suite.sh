#!/bin/bash
# Compares playouts on the GPU with those on the CPU and measures them: `dist/scripts/gpu-suite.sh FOLDER`.
# Needs what scripts/gpu-pack.sh puts into dist/, and a machine with an NVIDIA GPU, its driver and NVRTC. Writes to
# FOLDER: log.txt, batches.csv (environments), all.csv (games by shape of the kernel), sheets.csv (all sheets), ncu.txt
# (hardware counters).
# Takes about eight minutes on 16 cores; what is not done by then is left out and said so.
set -u
dist=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?a folder for the tables}
limit=${2:-480}
mkdir -p "$out"
work=$(mktemp -d)
started=$SECONDS
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
grep -m1 "model name" /proc/cpuinfo
# The compiler's library is often there without being known to the loader.
nvrtc=$(find /usr/local /usr/lib /opt -name 'libnvrtc.so*' ! -path '*stubs*' 2>/dev/null | sort | head -1)
driver=$(find /usr/local /usr/lib /opt -name 'libcuda.so*' ! -path '*stubs*' ! -path '*compat*' 2>/dev/null | sort | head -1)
echo "nvrtc: ${nvrtc:-none}, driver: ${driver:-none}"
if [ -n "$driver" ]; then export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}:$(dirname "$driver")"; fi
if [ -n "$nvrtc" ]; then export LD_LIBRARY_PATH="$(dirname "$nvrtc"):${LD_LIBRARY_PATH:-}"; fi
export LUDEX_CUDA_CACHE="$work/cache"
s=$dist/sheets
left() { echo $((limit - (SECONDS - started))); }
# most-seconds table seconds shapes sheets...
play() {
    local most=$1 table=$2 seconds=$3 shapes=$4 folder
    shift 4
    if [ "$(left)" -lt "$most" ]; then most=$(left); fi
    if [ "$most" -lt 5 ]; then echo "LEFT OUT for want of time: $*" | tee -a "$out/log.txt"; return; fi
    folder=$(mktemp -d -p "$work")
    # One at a time on the GPU.
    touch "$work/gpu.lock"
    ln "$work/gpu.lock" "$folder/gpu.lock"
    timeout "$most" "$dist/playouts" "$seconds" "$shapes" "$folder" "$@" >> "$folder/log" 2>&1 ||
        { echo "ended with $?: $shapes $*" >> "$folder/log"; for sheet in "$@"; do echo "$(basename "$sheet" .kif),${shapes//,/;},,,,,,,,,,,,,,,,,,,no result in $most s or an error" >> "$folder/ended.csv"; done; }
    cat "$folder/log" >> "$out/log.txt"
    grep -v "^game, shape\|^G states\|multiprocessors" "$folder/log" | tail -n 8 | cut -c1-160
    { tail -n +2 "$folder/playouts.csv" 2>/dev/null; [ -s "$folder/playouts.csv" ] || cat "$folder/ended.csv" 2>/dev/null; } >> "$out/$table"
}
head='game,shape,gates,ops,units,block,network_s,lanes_s,source_s,compile_s,cached_s,registers,local,words,states_s,playouts,transitions,length,cpu_length,worst,why_not'
echo "$head" > "$out/all.csv"
echo "$head" > "$out/sheets.csv"
echo "== environments: every array beside the CPU's, then a million games with actions drawn on the GPU"
timeout 120 "$dist/batches" 1048576 0.5 "$out" $s/{tictactoe,connectfour,breakthrough,reversi,checkers,hex}.kif 2>&1 |
    tee -a "$out/log.txt" | cut -c1-160
echo "== $((SECONDS - started)) s; the games of the table, in the layout that is chosen"
# Chess takes its time to become a network: beside the others.
( play 300 chess.csv 1 r12:512:2:0,r12:512:1:0 $s/chess.kif ) > "$work/chess.out" 2>&1 &
chess=$!
play 60 all.csv 0.5 auto $s/{tictactoe,connectfour,breakthrough,reversi,checkers,hex,gomoku_15x15}.kif
play 60 all.csv 0.5 t10:512:1:0,r10:512:2:0 $s/hex.kif
echo "== $((SECONDS - started)) s; hardware counters"
if command -v ncu >/dev/null; then
    for game in hex reversi; do
        if [ "$(left)" -lt 260 ]; then echo "LEFT OUT for want of time: counters of $game"; continue; fi
        timeout 45 ncu --clock-control none --kernel-name play --launch-skip 6 --launch-count 1 \
            --section SpeedOfLight --section ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis \
            --section WarpStateStats --section SchedulerStats --section InstructionStats --section LaunchStats \
            "$dist/playouts" 0.2 auto "$(mktemp -d -p "$work")" $s/$game.kif > "$work/ncu.txt" 2>&1
        echo "-- $game"
        grep -E "Duration|Executed Ipc Active|Issue Slots Busy|Compute \(SM\) Throughput|Memory Throughput|Warp Cycles Per Issued|No Eligible|Executed Instructions|stall|bank conflict" "$work/ncu.txt" | head -16 | cut -c1-150
        cat "$work/ncu.txt" >> "$out/ncu.txt"
    done
fi
echo "== $((SECONDS - started)) s; all sheets"
export -f play left
export out work limit dist s started
cores=$(nproc)
sheets_left=$(( $(left) - 20 ))
one() {
    sheet=$1
    SECONDS=$(( $(date +%s) - begun ))
    play 60 "sheets/$(basename "$sheet" .kif).csv" 0.2 auto "$sheet" > /dev/null
}
export -f one
mkdir -p "$out/sheets"
export begun=$(( $(date +%s) - SECONDS ))
# Small ones first: what is left out for want of time is large.
ls -Sr $s/*.kif | timeout "$sheets_left" xargs -P $((cores > 2 ? cores - 2 : 1)) -I{} bash -c 'one {}'
cat "$out"/sheets/*.csv >> "$out/sheets.csv"
rm -r "$out/sheets"
kill $chess 2>/dev/null
wait $chess 2>/dev/null
cat "$work/chess.out"
cat "$out/chess.csv" >> "$out/all.csv" 2>/dev/null
echo "sheets: $(tail -n +2 "$out/sheets.csv" | wc -l) of $(ls $s/*.kif | wc -l), played $(tail -n +2 "$out/sheets.csv" | awk -F, '$15 > 0' | wc -l), worst $(tail -n +2 "$out/sheets.csv" | cut -d, -f20 | sort -n | tail -3 | tr '\n' ' ')"
cut -d, -f1,2,5,9,10,11,15,20 "$out/all.csv"
echo "== $((SECONDS - started)) s"
