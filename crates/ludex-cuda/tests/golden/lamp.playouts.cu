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
SHARED u32 counts[9];
KERNEL __launch_bounds__(128, 1) play(u32 *words, u64 *tally, u32 threads, u32 passes, u32 phase, u32 start_phase, u32 counted, const u32 *data, u32 *room) {
u32 me = blockIdx.x * blockDim.x + threadIdx.x;
for (u32 i = threadIdx.x; i < 9u; i += blockDim.x) counts[i] = 0u;
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
u32 n6 = 0u;
u32 n7 = 0u;
u32 n8 = 0u;
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
age0 &= ~vacant;
age1 &= ~vacant;
age2 &= ~vacant;
age3 &= ~vacant;
age4 &= ~vacant;
age5 &= ~vacant;
age6 &= ~vacant;
}
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
u32 t11 = f0 & f1;
u32 t12 = f0 | f1;
L3(t13, over, t12, t11, 0x40)
u32 t14 = over & ~t13;
u32 t15 = f0 & t13;
n6 += COUNT(t15);
u32 t16 = f1 & t13;
n7 += COUNT(t16);
n8 += COUNT(t14);
}
transitions += COUNT(live);
u32 carry = age0; age0 = ~age0;
{ u32 old = age1; age1 = old ^ carry; carry &= old; }
{ u32 old = age2; age2 = old ^ carry; carry &= old; }
{ u32 old = age3; age3 = old ^ carry; carry &= old; }
{ u32 old = age4; age4 = old ^ carry; carry &= old; }
{ u32 old = age5; age5 = old ^ carry; carry &= old; }
{ u32 old = age6; age6 = old ^ carry; carry &= old; }
DRAW(t17)
DRAW(t18)
DRAW(t19)
DRAW(t20)
u32 t21 = t18 & t19;
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
DRAW(t40)
u32 t41 = t39 & t38;
DRAW(t42)
u32 t43 = t41 & t40;
DRAW(t44)
u32 t45 = t43 & t42;
u32 t46 = t44;
u32 t47 = 0u;
if (t45) {
u32 t48 = 0u;
u32 t49 = 0u;
#pragma unroll 1
for (int i = 0; i < 32; i++) {
DRAW(t50)
u32 t51 = t49 ^ t50;
u32 t52 = t49 & t50;
t48 = t51;
t49 = t52;
}
u32 t53 = t17 & t49;
u32 t54 = t53 & t45;
u32 t55 = t46 ^ t54;
u32 t56 = t54 & t46;
t46 = t55;
u32 t57 = t47 ^ t56;
u32 t58 = t56 & t47;
t47 = t57;
}
u32 t59 = ~(t47 ^ t46);
u32 t60 = ~(t46 | t47);
u32 t61 = t59 ^ t46;
u32 t62 = t46 & ~t59;
f0 = t62;
f1 = t60;
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
ADD(&tally[0], playouts)
ADD(&tally[1], transitions)
ADD(&tally[2], stuck)
ADD(&tally[3], cut)
ADD(&tally[4], started)
ADD(&tally[5], COUNT(live))
ADD(&tally[6], n6)
ADD(&tally[7], n7)
ADD(&tally[8], n8)
}
