typedef unsigned int u32;
typedef unsigned long long u64;
#ifdef __CUDACC__
#define L3(d, a, b, c, t) u32 d; asm("lop3.b32 %0, %1, %2, %3, " #t ";" : "=r"(d) : "r"(a), "r"(b), "r"(c));
#define ANY(x) __any_sync(~0u, (x) != 0u)
#define COUNT(x) __popc(x)
#define KERNEL extern "C" __global__ void
#define INSIDE __device__
#define CONSTANT __constant__
#define RESTRICT __restrict__
#define SHARED __shared__
#define TALLY(to, what) { u32 n_ = __reduce_add_sync(~0u, __popc(what)); if ((threadIdx.x & 31u) == 0u) atomicAdd(&(to), n_); }
#define ADD(to, what) { u32 n_ = __reduce_add_sync(~0u, (what)); if ((threadIdx.x & 31u) == 0u) atomicAdd((to), (u64)n_); }
#define APART __noinline__
#define ALIGNED(n) __align__(n)
#define DYNAMIC(name, words) extern __shared__ __align__(16) u32 name[];
#define COUNTER(to, n) atomicAdd(&(to), (n))
#else
#include "host.h"
#endif
/* Multiply with carry, lag 2: a * 2^64 - 1 is a safe prime, so the period is about 2^95. */
#define DRAW(u) u32 u; { u64 x_ = 4294954494ull * r0 + rc; r0 = r1; r1 = (u32)x_; rc = (u32)(x_ >> 32); u = r1 ^ rc; }
CONSTANT u32 start[2];
CONSTANT u32 most[7];
KERNEL begin(u32 *words, u32 threads, u64 seed) {
u32 me = blockIdx.x * blockDim.x + threadIdx.x;
u64 z = seed * 0xD1342543DE82EF95ull + me;
u32 r[4];
for (int i = 0; i < 4; i += 2) {
z += 0x9E3779B97F4A7C15ull;
u64 x = z;
x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
x = x ^ (x >> 31);
r[i] = (u32)x; r[i + 1] = (u32)(x >> 32);
}
words[(2ull + 1) * threads + me] = r[0];
words[(2ull + 2) * threads + me] = r[1];
words[(2ull + 3) * threads + me] = r[2] % 4294954493u;
}
SHARED u32 counts[6];
KERNEL __launch_bounds__(128, 1) play(u32 *words, u64 *tally, u32 threads, u32 passes, u32 phase, u32 start_phase, u32 counted, const u32 *data, u32 *room, u32 *told) {
u32 me = blockIdx.x * blockDim.x + threadIdx.x;
for (u32 i = threadIdx.x; i < 6u; i += blockDim.x) counts[i] = 0u;
__syncthreads();
u32 f0 = words[0ull * threads + me];
u32 f1 = words[1ull * threads + me];
u32 live = words[2ull * threads + me];
u32 r0 = words[3ull * threads + me];
u32 r1 = words[4ull * threads + me];
u32 rc = words[5ull * threads + me];
u32 quota = words[6ull * threads + me];
u32 age0 = words[7ull * threads + me];
u32 age1 = words[8ull * threads + me];
u32 age2 = words[9ull * threads + me];
u32 age3 = words[10ull * threads + me];
u32 age4 = words[11ull * threads + me];
u32 age5 = words[12ull * threads + me];
u32 age6 = words[13ull * threads + me];
u32 playouts = 0u, transitions = 0u, stuck = 0u, cut = 0u, started = 0u;
for (u32 pass = 0u; pass < passes; pass++) {
switch (phase) {
case 0u: {
if (!ANY(live)) goto done;
u32 t1 = live & f1;
u32 t2 = live & ~f1;
L3(t3, t2, age0, most[0], 0x90)
L3(t4, t3, age1, most[1], 0x90)
L3(t5, t4, age2, most[2], 0x90)
L3(t6, t5, age3, most[3], 0x90)
L3(t7, t6, age4, most[4], 0x90)
L3(t8, t7, age5, most[5], 0x90)
L3(t9, t8, age6, most[6], 0x90)
cut += COUNT(t9);
u32 t10 = t1 | t9;
u32 over = t10;
if (ANY(over)) {
live &= ~over;
playouts += COUNT(over);
}
transitions += COUNT(live);
u32 carry = age0; age0 = ~age0;
{ u32 old = age1; age1 = old ^ carry; carry &= old; }
{ u32 old = age2; age2 = old ^ carry; carry &= old; }
{ u32 old = age3; age3 = old ^ carry; carry &= old; }
{ u32 old = age4; age4 = old ^ carry; carry &= old; }
{ u32 old = age5; age5 = old ^ carry; carry &= old; }
{ u32 old = age6; age6 = old ^ carry; carry &= old; }
DRAW(t11)
DRAW(t12)
DRAW(t13)
DRAW(t14)
u32 t15 = t12 & t13;
DRAW(t16)
u32 t17 = t15 & t14;
DRAW(t18)
u32 t19 = t17 & t16;
DRAW(t20)
u32 t21 = t19 & t18;
DRAW(t22)
u32 t23 = t21 & t20;
DRAW(t24)
u32 t25 = t23 & t22;
DRAW(t26)
u32 t27 = t25 & t24;
DRAW(t28)
u32 t29 = t27 & t26;
DRAW(t30)
u32 t31 = t29 & t28;
DRAW(t32)
u32 t33 = t31 & t30;
DRAW(t34)
u32 t35 = t33 & t32;
DRAW(t36)
u32 t37 = t35 & t34;
DRAW(t38)
u32 t39 = t37 & t36;
u32 t40 = t38;
u32 t41 = 0u;
if (t39) {
u32 t42 = 0u;
u32 t43 = 0u;
#pragma unroll 1
for (int i = 0; i < 32; i++) {
DRAW(t44)
u32 t45 = t43 ^ t44;
u32 t46 = t43 & t44;
t42 = t45;
t43 = t46;
}
u32 t47 = t11 & t43;
u32 t48 = t47 & t39;
u32 t49 = t40 ^ t48;
u32 t50 = t48 & t40;
t40 = t49;
u32 t51 = t41 ^ t50;
u32 t52 = t50 & t41;
t41 = t51;
}
u32 t53 = ~(t41 ^ t40);
u32 t54 = ~(t40 | t41);
u32 t55 = t53 ^ t40;
u32 t56 = t40 & ~t53;
L3(t57, live, t56, f0, 0xCA)
L3(t58, live, t54, f1, 0xCA)
f0 = t57;
f1 = t58;
} break;
}
phase = phase + 1u == 1u ? 0u : phase + 1u;
}
done:
words[0ull * threads + me] = f0;
words[1ull * threads + me] = f1;
words[2ull * threads + me] = live;
words[3ull * threads + me] = r0;
words[4ull * threads + me] = r1;
words[5ull * threads + me] = rc;
words[6ull * threads + me] = quota;
words[7ull * threads + me] = age0;
words[8ull * threads + me] = age1;
words[9ull * threads + me] = age2;
words[10ull * threads + me] = age3;
words[11ull * threads + me] = age4;
words[12ull * threads + me] = age5;
words[13ull * threads + me] = age6;
{
told[0ull * (gridDim.x * blockDim.x) + me] = f0;
told[1ull * (gridDim.x * blockDim.x) + me] = f1;
}
ADD(&tally[0], playouts)
ADD(&tally[1], transitions)
ADD(&tally[2], stuck)
ADD(&tally[3], cut)
ADD(&tally[4], started)
ADD(&tally[5], COUNT(live))
}
/* Games that begin in states from outside, and what they came to: `each` games a state, one behind the other. Rows are
   `width` words of 64 fluents; the words of a thread lie as `play` keeps them. */

/* Puts states into games: a word of a thread each y, the fluents first. Random numbers go on where they are. */
KERNEL put_states(u32 *words, const u64 *states, u32 threads, u32 width, u32 each, u32 games, u32 fluents) {
    u32 me = blockIdx.x * blockDim.x + threadIdx.x, at = blockIdx.y, bits = 0u;
    if (me >= threads || (at > fluents && at < fluents + 4u)) return;
    for (u32 lane = 0u; lane < 32u; lane++) {
        u32 game = me * 32u + lane;
        if (game >= games) break;
        if (at < fluents) bits |= (u32)(states[(u64)(game / each) * width + at / 64u] >> (at % 64u) & 1u) << lane;
        else if (at == fluents) bits |= 1u << lane;
    }
    words[(u64)at * threads + me] = bits;
}

/* The last state of the first game of each row: a word of 64 fluents each y. */
KERNEL get_states(const u32 *words, u64 *states, u32 threads, u32 width, u32 each, u32 rows, u32 fluents) {
    u32 row = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * 64u;
    if (row >= rows) return;
    u32 game = row * each, word = game / 32u, lane = game % 32u;
    u64 bits = 0;
    for (u32 i = 0u; i < 64u && from + i < fluents; i++) bits |= (u64)(words[(u64)(from + i) * threads + word] >> lane & 1u) << i;
    states[(u64)row * width + blockIdx.y] = bits;
}
