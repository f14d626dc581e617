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
CONSTANT u32 start[5];
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
words[(5ull + 1) * threads + me] = r[0];
words[(5ull + 2) * threads + me] = r[1];
words[(5ull + 3) * threads + me] = r[2] % 4294954493u;
}
SHARED u32 counts[6];
KERNEL __launch_bounds__(128, 1) play(u32 *words, u64 *tally, u32 threads, u32 passes, u32 phase, u32 start_phase, u32 counted, const u32 *data, u32 *room, u32 *told) {
u32 me = blockIdx.x * blockDim.x + threadIdx.x;
for (u32 i = threadIdx.x; i < 6u; i += blockDim.x) counts[i] = 0u;
__syncthreads();
u32 f0 = words[0ull * threads + me];
u32 f1 = words[1ull * threads + me];
u32 f2 = words[2ull * threads + me];
u32 f3 = words[3ull * threads + me];
u32 f4 = words[4ull * threads + me];
u32 live = words[5ull * threads + me];
u32 r0 = words[6ull * threads + me];
u32 r1 = words[7ull * threads + me];
u32 rc = words[8ull * threads + me];
u32 quota = words[9ull * threads + me];
u32 age0 = words[10ull * threads + me];
u32 age1 = words[11ull * threads + me];
u32 age2 = words[12ull * threads + me];
u32 age3 = words[13ull * threads + me];
u32 age4 = words[14ull * threads + me];
u32 age5 = words[15ull * threads + me];
u32 age6 = words[16ull * threads + me];
u32 playouts = 0u, transitions = 0u, stuck = 0u, cut = 0u, started = 0u;
for (u32 pass = 0u; pass < passes; pass++) {
switch (phase) {
case 0u: {
if (!ANY(live)) goto done;
u32 t1 = f1 | f2;
u32 t2 = live & t1;
u32 t3 = live & ~t1;
L3(t4, t3, age0, most[0], 0x90)
L3(t5, t4, age1, most[1], 0x90)
L3(t6, t5, age2, most[2], 0x90)
L3(t7, t6, age3, most[3], 0x90)
L3(t8, t7, age4, most[4], 0x90)
L3(t9, t8, age5, most[5], 0x90)
L3(t10, t9, age6, most[6], 0x90)
cut += COUNT(t10);
u32 t11 = t2 | t10;
L3(t12, live, t11, f0, 0x10)
stuck += COUNT(t12);
u32 t13 = t11 | t12;
u32 over = t13;
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
DRAW(t14)
u32 t15 = f0 & t14;
DRAW(t16)
u32 t17 = f0 & t16;
DRAW(t18)
u32 t19 = f0 & t18;
DRAW(t20)
u32 t21 = f0 & t20;
u32 t22 = t17 & t19;
DRAW(t23)
u32 t24 = f0 & t23;
u32 t25 = t22 & t21;
DRAW(t26)
u32 t27 = f0 & t26;
u32 t28 = t25 & t24;
DRAW(t29)
u32 t30 = f0 & t29;
u32 t31 = t28 & t27;
DRAW(t32)
u32 t33 = f0 & t32;
u32 t34 = t31 & t30;
DRAW(t35)
u32 t36 = f0 & t35;
u32 t37 = t34 & t33;
DRAW(t38)
u32 t39 = f0 & t38;
u32 t40 = t37 & t36;
DRAW(t41)
u32 t42 = f0 & t41;
u32 t43 = t40 & t39;
DRAW(t44)
u32 t45 = f0 & t44;
u32 t46 = t43 & t42;
DRAW(t47)
u32 t48 = f0 & t47;
u32 t49 = t46 & t45;
DRAW(t50)
u32 t51 = f0 & t50;
u32 t52 = t49 & t48;
DRAW(t53)
u32 t54 = f0 & t53;
u32 t55 = t52 & t51;
DRAW(t56)
u32 t57 = f0 & t56;
u32 t58 = t55 & t54;
u32 t59 = t57;
u32 t60 = 0u;
if (t58) {
u32 t61 = 0u;
u32 t62 = 0u;
#pragma unroll 1
for (int i = 0; i < 32; i++) {
DRAW(t63)
u32 t64 = f0 & t63;
u32 t65 = t62 ^ t64;
u32 t66 = t62 & t64;
t61 = t65;
t62 = t66;
}
u32 t67 = t15 & t62;
u32 t68 = t67 & t58;
u32 t69 = t59 ^ t68;
u32 t70 = t68 & t59;
t59 = t69;
u32 t71 = t60 ^ t70;
u32 t72 = t70 & t60;
t60 = t71;
}
u32 t73 = t59 ^ f0;
u32 t74 = f0 & ~t59;
u32 t75 = t60 ^ t74;
u32 t76 = t74 & ~t60;
u32 t77 = t73 ^ f0;
u32 t78 = f0 & ~t73;
u32 t79 = t75 ^ t78;
u32 t80 = t78 & ~t75;
DRAW(t81)
u32 t82 = f0 & t81;
DRAW(t83)
u32 t84 = f0 & t83;
DRAW(t85)
u32 t86 = f0 & t85;
DRAW(t87)
u32 t88 = f0 & t87;
u32 t89 = t84 & t86;
DRAW(t90)
u32 t91 = f0 & t90;
u32 t92 = t89 & t88;
DRAW(t93)
u32 t94 = f0 & t93;
u32 t95 = t92 & t91;
DRAW(t96)
u32 t97 = f0 & t96;
u32 t98 = t95 & t94;
DRAW(t99)
u32 t100 = f0 & t99;
u32 t101 = t98 & t97;
DRAW(t102)
u32 t103 = f0 & t102;
u32 t104 = t101 & t100;
DRAW(t105)
u32 t106 = f0 & t105;
u32 t107 = t104 & t103;
DRAW(t108)
u32 t109 = f0 & t108;
u32 t110 = t107 & t106;
DRAW(t111)
u32 t112 = f0 & t111;
u32 t113 = t110 & t109;
DRAW(t114)
u32 t115 = f0 & t114;
u32 t116 = t113 & t112;
DRAW(t117)
u32 t118 = f0 & t117;
u32 t119 = t116 & t115;
DRAW(t120)
u32 t121 = f0 & t120;
u32 t122 = t119 & t118;
DRAW(t123)
u32 t124 = f0 & t123;
u32 t125 = t122 & t121;
u32 t126 = t124;
u32 t127 = 0u;
if (t125) {
u32 t128 = 0u;
u32 t129 = 0u;
#pragma unroll 1
for (int i = 0; i < 32; i++) {
DRAW(t130)
u32 t131 = f0 & t130;
u32 t132 = t129 ^ t131;
u32 t133 = t129 & t131;
t128 = t132;
t129 = t133;
}
u32 t134 = t82 & t129;
u32 t135 = t134 & t125;
u32 t136 = t126 ^ t135;
u32 t137 = t135 & t126;
t126 = t136;
u32 t138 = t127 ^ t137;
u32 t139 = t137 & t127;
t127 = t138;
}
u32 t140 = t126 ^ f0;
u32 t141 = f0 & ~t126;
u32 t142 = t127 ^ t141;
u32 t143 = t141 & ~t127;
u32 t144 = t140 ^ f0;
u32 t145 = f0 & ~t140;
u32 t146 = t142 ^ t145;
u32 t147 = t145 & ~t142;
u32 t148 = ~live & f0;
L3(t149, live, t76, f1, 0xCA)
L3(t150, live, t80, f2, 0xCA)
L3(t151, live, t143, f3, 0xCA)
L3(t152, live, t147, f4, 0xCA)
f0 = t148;
f1 = t149;
f2 = t150;
f3 = t151;
f4 = t152;
} break;
}
phase = phase + 1u == 1u ? 0u : phase + 1u;
}
done:
words[0ull * threads + me] = f0;
words[1ull * threads + me] = f1;
words[2ull * threads + me] = f2;
words[3ull * threads + me] = f3;
words[4ull * threads + me] = f4;
words[5ull * threads + me] = live;
words[6ull * threads + me] = r0;
words[7ull * threads + me] = r1;
words[8ull * threads + me] = rc;
words[9ull * threads + me] = quota;
words[10ull * threads + me] = age0;
words[11ull * threads + me] = age1;
words[12ull * threads + me] = age2;
words[13ull * threads + me] = age3;
words[14ull * threads + me] = age4;
words[15ull * threads + me] = age5;
words[16ull * threads + me] = age6;
{
u32 t1 = f2 & f4;
L3(t2, f1, f3, t1, 0x15)
told[0ull * (gridDim.x * blockDim.x) + me] = t2;
told[1ull * (gridDim.x * blockDim.x) + me] = ~t2;
told[2ull * (gridDim.x * blockDim.x) + me] = t2;
told[3ull * (gridDim.x * blockDim.x) + me] = ~t2;
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
