/* What CUDA gives, for one thread on a machine without it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static u32 lop3(u32 a, u32 b, u32 c, int t) {
    u32 d = 0;
    if (t & 1) d |= ~a & ~b & ~c;
    if (t & 2) d |= ~a & ~b & c;
    if (t & 4) d |= ~a & b & ~c;
    if (t & 8) d |= ~a & b & c;
    if (t & 16) d |= a & ~b & ~c;
    if (t & 32) d |= a & ~b & c;
    if (t & 64) d |= a & b & ~c;
    if (t & 128) d |= a & b & c;
    return d;
}
#define L3(d, a, b, c, t) u32 d = lop3(a, b, c, t);
#define ANY(x) ((x) != 0u)
#define COUNT(x) ((u32)__builtin_popcount(x))
#define KERNEL void
#define INSIDE static
#define CONSTANT
#define RESTRICT
#define SHARED static
#define TALLY(to, x) (to) += COUNT(x);
#define ADD(to, x) *(to) += (x);
#define APART
#define ALIGNED(n) __attribute__((aligned(n)))
#define DYNAMIC(name, words) static u32 name[words] ALIGNED(16);
#define COUNTER(to, n) (to) += (n)
#define __launch_bounds__(...)
struct index { u32 x, y; };
static struct index threadIdx, blockIdx, blockDim = {1, 1}, gridDim = {1, 1};
static void __syncthreads(void) {}
static void atomicAdd(u64 *to, u64 n) { *to += n; }
static int __syncthreads_or(int x) { return x; }
static void atomicMin(u64 *to, u64 n) { if (n < *to) *to = n; }
static void atomicOr(u32 *to, u32 bits) { *to |= bits; }
static u64 __umul64hi(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
