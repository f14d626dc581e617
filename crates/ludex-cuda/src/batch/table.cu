/* The network of a batch whose gates are a table: pass 0 makes the next state, pass 1 says what a state is like. */
KERNEL __launch_bounds__(THREADS, BLOCKS) batch_network(Call c) {
    const u32 *RESTRICT data = c.data;
    u32 *room = c.room;
    SLOTS_OF_BLOCK
    SHARED u32 stepping[W];
    /* Blocks that compute in memory of their own take turns: `from` is the first of these. */
    u64 mine = (c.from + blockIdx.x) * W;
    if (mine * 32u >= c.games) return;
    BEGIN_SLOTS
    u32 look = c.flags & LOOK;
    EACH(w, W) {
        stepping[w] = look ? AT(P_STEPPING, mine + w) : LIVE(mine + w) & ~AT(P_LOST, mine + w);
        AT(P_STEPPING, mine + w) = stepping[w];
    }
    __syncthreads();
    EACH(i, FLUENTS * W) plain[2 * W + i] = AT(i / W, mine + i % W);
    if (!look) {
        EACH(i, MOVES * W) { u32 slot = LIST(DOES_AT)[i / W]; if (slot > 1u) plain[slot * W + i % W] = AT(P_DOES + i / W, mine + i % W); }
        __syncthreads();
        run(slots, data, steps, LIST(HEADS_AT)[2]);
        __syncthreads();
        EACH(i, FLUENTS * W) {
            u32 now = stepping[i % W];
            plain[2 * W + i] = (plain[2 * W + i] & now) | (AT(i / W, mine + i % W) & ~now);
            AT(i / W, mine + i % W) = plain[2 * W + i];
        }
    }
    __syncthreads();
    run(slots, data, steps, LIST(HEADS_AT)[3]);
    __syncthreads();
    u32 ended = 0u;
    EACH(w, W) {
        u32 ref = TERMINAL, over = WORD(ref, w);
        AT(P_TERMINAL, mine + w) = over;
        ended |= over & stepping[w];
    }
    EACH(i, MOVES * W) { u32 ref = LIST(LEGAL_AT)[i / W]; AT(P_LEGAL + i / W, mine + i % W) = WORD(ref, i % W); }
    if (__syncthreads_or(ended != 0u)) {
        run(slots, data, steps, LIST(HEADS_AT)[4]);
        __syncthreads();
        EACH(i, GOALS * W) { u32 ref = LIST(GOAL_REFS_AT)[i / W]; AT(P_GOALS + i / W, mine + i % W) = WORD(ref, i % W); }
    }
}
