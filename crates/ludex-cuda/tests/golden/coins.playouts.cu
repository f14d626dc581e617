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
SHARED u32 counts[12];
KERNEL __launch_bounds__(128, 1) play(u32 *words, u64 *tally, u32 threads, u32 passes, u32 phase, u32 start_phase, u32 counted, const u32 *data, u32 *room) {
u32 me = blockIdx.x * blockDim.x + threadIdx.x;
for (u32 i = threadIdx.x; i < 12u; i += blockDim.x) counts[i] = 0u;
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
u32 n6 = 0u;
u32 n7 = 0u;
u32 n8 = 0u;
u32 n9 = 0u;
u32 n10 = 0u;
u32 n11 = 0u;
for (u32 pass = 0u; pass < passes; pass++) {
switch (phase) {
case 0u: {
if (start_phase == 0u) {
u32 vacant = ~live;
if (counted) {
if (COUNT(vacant) > quota) { u32 left = vacant; vacant = 0u; while (quota > COUNT(vacant)) { vacant |= left & (0u - left); left &= left - 1u; } }
quota -= COUNT(vacant);
if (!ANY(vacant | live)) goto done;
}
started += COUNT(vacant);
live |= vacant;
f0 = (f0 & ~vacant) | (start[0] & vacant);
f1 = (f1 & ~vacant) | (start[1] & vacant);
f2 = (f2 & ~vacant) | (start[2] & vacant);
f3 = (f3 & ~vacant) | (start[3] & vacant);
f4 = (f4 & ~vacant) | (start[4] & vacant);
age0 &= ~vacant;
age1 &= ~vacant;
age2 &= ~vacant;
age3 &= ~vacant;
age4 &= ~vacant;
age5 &= ~vacant;
age6 &= ~vacant;
}
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
u32 t14 = f2 & f4;
L3(t15, f1, f3, t14, 0x15)
u32 t16 = t15 & over;
n6 += COUNT(t16);
u32 t17 = ~t15 & over;
n7 += COUNT(t17);
u32 t18 = t15 & over;
n9 += COUNT(t18);
u32 t19 = ~t15 & over;
n10 += COUNT(t19);
}
transitions += COUNT(live);
u32 carry = age0; age0 = ~age0;
{ u32 old = age1; age1 = old ^ carry; carry &= old; }
{ u32 old = age2; age2 = old ^ carry; carry &= old; }
{ u32 old = age3; age3 = old ^ carry; carry &= old; }
{ u32 old = age4; age4 = old ^ carry; carry &= old; }
{ u32 old = age5; age5 = old ^ carry; carry &= old; }
{ u32 old = age6; age6 = old ^ carry; carry &= old; }
DRAW(t20)
u32 t21 = f0 & t20;
DRAW(t22)
u32 t23 = f0 & t22;
DRAW(t24)
u32 t25 = f0 & t24;
DRAW(t26)
u32 t27 = f0 & t26;
u32 t28 = t23 & t25;
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
DRAW(t59)
u32 t60 = f0 & t59;
u32 t61 = t58 & t57;
DRAW(t62)
u32 t63 = f0 & t62;
u32 t64 = t61 & t60;
u32 t65 = t63;
u32 t66 = 0u;
if (t64) {
u32 t67 = 0u;
u32 t68 = 0u;
#pragma unroll 1
for (int i = 0; i < 32; i++) {
DRAW(t69)
u32 t70 = f0 & t69;
u32 t71 = t68 ^ t70;
u32 t72 = t68 & t70;
t67 = t71;
t68 = t72;
}
u32 t73 = t21 & t68;
u32 t74 = t73 & t64;
u32 t75 = t65 ^ t74;
u32 t76 = t74 & t65;
t65 = t75;
u32 t77 = t66 ^ t76;
u32 t78 = t76 & t66;
t66 = t77;
}
u32 t79 = t65 ^ f0;
u32 t80 = f0 & ~t65;
u32 t81 = t66 ^ t80;
u32 t82 = t80 & ~t66;
u32 t83 = t79 ^ f0;
u32 t84 = f0 & ~t79;
u32 t85 = t81 ^ t84;
u32 t86 = t84 & ~t81;
DRAW(t87)
u32 t88 = f0 & t87;
DRAW(t89)
u32 t90 = f0 & t89;
DRAW(t91)
u32 t92 = f0 & t91;
DRAW(t93)
u32 t94 = f0 & t93;
u32 t95 = t90 & t92;
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
DRAW(t126)
u32 t127 = f0 & t126;
u32 t128 = t125 & t124;
DRAW(t129)
u32 t130 = f0 & t129;
u32 t131 = t128 & t127;
u32 t132 = t130;
u32 t133 = 0u;
if (t131) {
u32 t134 = 0u;
u32 t135 = 0u;
#pragma unroll 1
for (int i = 0; i < 32; i++) {
DRAW(t136)
u32 t137 = f0 & t136;
u32 t138 = t135 ^ t137;
u32 t139 = t135 & t137;
t134 = t138;
t135 = t139;
}
u32 t140 = t88 & t135;
u32 t141 = t140 & t131;
u32 t142 = t132 ^ t141;
u32 t143 = t141 & t132;
t132 = t142;
u32 t144 = t133 ^ t143;
u32 t145 = t143 & t133;
t133 = t144;
}
u32 t146 = t132 ^ f0;
u32 t147 = f0 & ~t132;
u32 t148 = t133 ^ t147;
u32 t149 = t147 & ~t133;
u32 t150 = t146 ^ f0;
u32 t151 = f0 & ~t146;
u32 t152 = t148 ^ t151;
u32 t153 = t151 & ~t148;
f0 = 0u;
f1 = t82;
f2 = t86;
f3 = t149;
f4 = t153;
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
ADD(&tally[0], playouts)
ADD(&tally[1], transitions)
ADD(&tally[2], stuck)
ADD(&tally[3], cut)
ADD(&tally[4], started)
ADD(&tally[5], COUNT(live))
ADD(&tally[6], n6)
ADD(&tally[7], n7)
ADD(&tally[8], n8)
ADD(&tally[9], n9)
ADD(&tally[10], n10)
ADD(&tally[11], n11)
}
