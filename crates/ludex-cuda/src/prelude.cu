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
