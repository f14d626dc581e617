/* W words of 32 games each belong to a block; a slot is W words; VW of them are one thread's at a time. */
#define GAMES (32u * W)
#define LPG (W / VW)
#define SEGMENTS (THREADS > GAMES ? THREADS / GAMES : 1u)
#define EACH(i, n) for (u32 i = threadIdx.x; i < (n); i += blockDim.x)
#define WORD(ref, w) (((u32 *)slots)[((ref) >> 1) * W + (w)] ^ (0u - ((ref) & 1u)))
#define LIST(at) (data + (at))
enum { LEVEL, AGAIN, END };
/* Slots lie in shared memory, with a copy of the steps, or in the room that the block has in the device's. */
#if ROOM
#define SLOTS_OF_BLOCK vec *slots = (vec *)(room + (u64)blockIdx.x * (SLOTS * W)); u32 *plain = (u32 *)slots; const u32 *steps = LIST(ALL_STEPS_AT);
#define BEGIN_SLOTS EACH(i, 2u * W) plain[i] = i / W == 1u ? ~0u : 0u;
#else
#define SLOTS_OF_BLOCK DYNAMIC(memory, SLOTS * W + 4 * STEPS) vec *slots = (vec *)memory; u32 *plain = (u32 *)memory; u32 *steps = plain + SLOTS * W;
#define BEGIN_SLOTS EACH(i, 4 * STEPS) steps[i] = LIST(ALL_STEPS_AT)[i]; EACH(i, SLOTS * W) plain[i] = i / W == 1u ? ~0u : 0u;
#endif
typedef struct ALIGNED(4 * VW) { u32 v[VW]; } vec;

/* A gate: three slots, the slot of the result and the function, in 9 bytes or, where there are many slots, in 16. */
typedef struct ALIGNED(16) { u32 a, b, c, to; } wide;
typedef struct { u32 a, b, c, to, table; } gate;
INSIDE gate gate_at(const u32 *data, u32 i) {
    gate g;
#if WIDE
    wide all = ((const wide *)(data + GATES_AT))[i];
    g.a = all.a; g.b = all.b; g.c = all.c; g.to = all.to & 0xFFFFFFu; g.table = all.to >> 24;
#else
    u64 all = ((const u64 *)(data + GATES_AT))[i];
    g.a = (u32)(all & 65535u); g.b = (u32)(all >> 16 & 65535u); g.c = (u32)(all >> 32 & 65535u); g.to = (u32)(all >> 48);
    g.table = (u32)((const unsigned char *)(data + FUNCTIONS_AT))[i];
#endif
    return g;
}

/* Runs the steps from `at` to the next END: gates of a level in any order, levels one after the other. What the
   next level's first gate is, is asked for before the threads wait for each other. */
INSIDE void run(vec *slots, const u32 *data, const u32 *steps, u32 at) {
    u32 kind = steps[4 * at], first = steps[4 * at + 1], items = steps[4 * at + 2] * LPG;
    gate now = {0u, 0u, 0u, 0u, 0u};
    if (threadIdx.x < items) now = gate_at(data, first + threadIdx.x / LPG);
    while (kind != END) {
        u32 changed = 0u;
        u32 item = threadIdx.x;
        while (item < items) {
            u32 following = item + blockDim.x;
            gate next = now;
            if (following < items) next = gate_at(data, first + following / LPG);
            u32 part = item % LPG;
            vec a = slots[now.a * LPG + part];
            vec b = slots[now.b * LPG + part];
            vec c = slots[now.c * LPG + part];
            u32 to = now.to * LPG + part, table = now.table;
            u32 m0 = 0u - (table & 1u), m1 = 0u - (table >> 1 & 1u), m2 = 0u - (table >> 2 & 1u), m3 = 0u - (table >> 3 & 1u);
            u32 m4 = 0u - (table >> 4 & 1u), m5 = 0u - (table >> 5 & 1u), m6 = 0u - (table >> 6 & 1u), m7 = 0u - (table >> 7 & 1u);
            vec d;
            for (int k = 0; k < VW; k++) {
                u32 x = a.v[k], y = b.v[k], z = c.v[k];
                u32 p = (z & m1) | (~z & m0), q = (z & m3) | (~z & m2), r = (z & m5) | (~z & m4), s = (z & m7) | (~z & m6);
                u32 low = (y & q) | (~y & p), high = (y & s) | (~y & r);
                d.v[k] = (x & high) | (~x & low);
            }
            if (kind == AGAIN) {
                vec old = slots[to];
                for (int k = 0; k < VW; k++) changed |= old.v[k] ^ d.v[k];
            }
            slots[to] = d;
            item = following;
            now = next;
        }
        u32 was = kind, back = steps[4 * at + 3];
        at++;
        kind = steps[4 * at]; first = steps[4 * at + 1]; items = steps[4 * at + 2] * LPG;
        if (kind != END && threadIdx.x < items) now = gate_at(data, first + threadIdx.x / LPG);
        if (was == AGAIN) {
            if (__syncthreads_or(changed != 0u)) {
                at = back;
                kind = steps[4 * at]; first = steps[4 * at + 1]; items = steps[4 * at + 2] * LPG;
                if (threadIdx.x < items) now = gate_at(data, first + threadIdx.x / LPG);
            }
        } else {
            __syncthreads();
        }
    }
}
