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
