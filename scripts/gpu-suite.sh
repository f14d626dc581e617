#!/bin/bash
# Compares playouts on the GPU with those on the CPU and measures them: `scripts/gpu-suite.sh FOLDER`.
# Needs dist/ (scripts/gpu-pack.sh) and a machine with an NVIDIA GPU, its driver and NVRTC. Writes tables to FOLDER.
set -u
cd "$(dirname "$0")/.."
out=${1:?a folder for the tables}
mkdir -p "$out"
work=$(mktemp -d)
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
ldd --version | head -1
grep -m1 "model name" /proc/cpuinfo
# The compiler's library is often there without being known to the loader.
nvrtc=$(find /usr/local /usr/lib /opt -name 'libnvrtc.so*' ! -path '*stubs*' 2>/dev/null | sort | head -1)
driver=$(find /usr/local /usr/lib /opt -name 'libcuda.so*' ! -path '*stubs*' ! -path '*compat*' 2>/dev/null | sort | head -1)
echo "nvrtc: ${nvrtc:-none}, driver: ${driver:-none}"
if [ -n "$driver" ]; then export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}:$(dirname "$driver")"; fi
if [ -n "$nvrtc" ]; then export LD_LIBRARY_PATH="$(dirname "$nvrtc"):${LD_LIBRARY_PATH:-}"; fi
export LUDEX_CUDA_CACHE="$work/cache"
play() { # seconds shapes sheets...
    local seconds=$1; local shapes=$2; shift 2
    timeout 200 dist/playouts "$seconds" "$shapes" "$work" "$@" 2>&1 | tee -a "$out/log.txt"
    cat "$work/playouts.csv" >> "$out/all.csv"
}
s=dist/sheets
started=$SECONDS
play 1 14:128:1:0,0:128:1:0,14:128:4:0,14:128:8:0,14:512:1:0 $s/tictactoe.kif
play 1 14:128:1:0,0:128:1:0,14:256:1:1,14:128:3:0,14:128:4:0,14:512:1:1 $s/connectfour.kif $s/breakthrough.kif
echo "== $((SECONDS - started)) s"
play 1 14:128:1:0,14:256:1:1,14:128:4:0,14:512:1:1 $s/reversi.kif
echo "== $((SECONDS - started)) s"
play 1 14:128:1:0 $s/gomoku_15x15.kif
play 1 14:128:1:0,14:512:1:1 $s/checkers.kif
echo "== $((SECONDS - started)) s"
# What the time goes to, by the hardware's counters.
if command -v ncu >/dev/null; then
    for game in tictactoe connectfour breakthrough reversi checkers; do
        timeout 100 ncu --clock-control none --kernel-name play --launch-skip 4 --launch-count 1 \
            --section SpeedOfLight --section ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis \
            --section WarpStateStats --section SchedulerStats --section InstructionStats --section LaunchStats \
            dist/playouts 0.2 14:128:1:0 "$work" $s/$game.kif > "$work/ncu.txt" 2>&1
        echo "-- $game"
        grep -E "Duration|SM Frequency|Executed Ipc Active|Issue Slots Busy|Compute \(SM\) Throughput|Memory Throughput|L1/TEX Hit|L2 Hit|Warp Cycles Per Issued|No Eligible|Executed Instructions|Local|stall" "$work/ncu.txt" | head -24
        cat "$work/ncu.txt" >> "$out/ncu.txt"
    done
fi
echo "== $((SECONDS - started)) s"
