/* Playouts of a game whose gates are a table: W words of 32 games a block. With KEEPS_ENDS no game is refilled: the last
   state of each is kept in `words`, and which goals hold there is told at the end. */
#if KEEPS_ENDS
#define TOLD , u32 *told
#else
#define TOLD
#endif
INSIDE u64 mixed(u64 x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

/* A number below `count`, uniform to one part in 2^64 / count: a function of the game's key and of how many were drawn. */
INSIDE u32 below(u64 key, u32 lane, u32 role, u32 drawn, u32 count) {
    u64 u = mixed(key ^ (lane * 0x9E3779B97F4A7C15ull + role * 0xD1342543DE82EF95ull));
    u = mixed(u + drawn * 0x9E3779B97F4A7C15ull);
    return (u32)__umul64hi(u, count);
}

/* Adds the goals of the games of `games` to the counters. */
INSIDE void count_goals(const vec *slots, const u32 *data, u32 *counts, const u32 *games, u32 from) {
    EACH(w, W) {
        u32 at = from, into = GOALS;
        for (u32 role = 0u; role < ROLES; role++) {
            u32 n = LIST(GOAL_COUNTS_AT)[role], once = 0u, twice = 0u;
            for (u32 i = 0u; i < n; i++) { u32 ref = LIST(GOALS_AT)[at + i], here = WORD(ref, w); twice |= once & here; once |= here; }
            u32 proper = games[w] & once & ~twice, improper = games[w] & ~proper;
            for (u32 i = 0u; i < n; i++) {
                u32 ref = LIST(GOALS_AT)[at + i], here = WORD(ref, w) & proper;
                if (!LIST(GOAL_IS_NUMBER_AT)[into + i - GOALS]) improper |= here;
                else if (here) COUNTER(counts[into + i], COUNT(here));
            }
            if (improper) COUNTER(counts[into + n], COUNT(improper));
            at += n;
            into += n + 1u;
        }
    }
    __syncthreads();
}

KERNEL __launch_bounds__(THREADS, BLOCKS) play(u32 *words, u64 *tally, u32 threads, u32 passes, u32 phase, u32 start_phase, u32 counted, const u32 *RESTRICT data, u32 *room TOLD) {
    SLOTS_OF_BLOCK
    SHARED u32 counts[COUNTERS], live[W], over[W], vacant[W], quota[W], unable[W], old[W], drawn[W], held[W], age[GAMES];
    SHARED u64 key[W];
    SHARED unsigned short partial[ROLES * SEGMENTS * GAMES];
    u32 mine = blockIdx.x * W;
    u32 playouts = 0u, transitions = 0u, stuck = 0u, cut = 0u, started = 0u;
    u64 bound = 0;
    for (u32 i = 0; i < DIGITS; i++) bound |= (u64)(most[i] & 1u) << i;
    EACH(i, COUNTERS) counts[i] = 0u;
    BEGIN_SLOTS
    __syncthreads();
    EACH(i, FLUENTS * W) plain[2 * W + i] = words[(u64)(i / W) * threads + mine + i % W];
    EACH(w, W) {
        held[w] = 0u;
        live[w] = words[(FLUENTS + 0ull) * threads + mine + w];
        key[w] = words[(FLUENTS + 1ull) * threads + mine + w] | (u64)words[(FLUENTS + 2ull) * threads + mine + w] << 32;
        drawn[w] = words[(FLUENTS + 3ull) * threads + mine + w];
        quota[w] = words[(FLUENTS + 4ull) * threads + mine + w];
    }
    EACH(g, GAMES) age[g] = words[(FLUENTS + 5ull + g % 32u) * threads + mine + g / 32u];
    __syncthreads();
    for (u32 pass = 0u; pass < passes; pass++) {
#if KEEPS_ENDS
        u32 any = 0u;
        for (u32 w = 0u; w < W; w++) any |= live[w];
        if (!any) break;
#else
        if (phase == start_phase) {
            EACH(w, W) {
                u32 empty = ~live[w];
                if (counted) {
                    if (COUNT(empty) > quota[w]) {
                        u32 left = empty;
                        empty = 0u;
                        while (quota[w] > COUNT(empty)) { empty |= left & (0u - left); left &= left - 1u; }
                    }
                    quota[w] -= COUNT(empty);
                }
                started += COUNT(empty);
                live[w] |= empty;
                vacant[w] = empty;
            }
            __syncthreads();
            u32 any = 0u, anew = 0u;
            for (u32 w = 0u; w < W; w++) { any |= live[w]; anew |= vacant[w]; }
            if (!any) break;
            if (anew) {
                EACH(i, FLUENTS * W) {
                    u32 empty = vacant[i % W];
                    if (empty) plain[2 * W + i] = (plain[2 * W + i] & ~empty) | (start[i / W] & empty);
                }
                EACH(g, GAMES) if (vacant[g / 32u] >> (g % 32u) & 1u) age[g] = 0u;
                __syncthreads();
            }
        }
#endif
        EACH(w, W) { unable[w] = 0u; old[w] = 0u; }
        run(slots, data, steps, LIST(HEADS_AT)[3 * phase]);
        __syncthreads();
        for (u32 role = 0u; role < ROLES; role++) {
            u32 from = LIST(MOVES_FROM_AT)[phase * (ROLES + 1) + role], n = LIST(MOVES_FROM_AT)[phase * (ROLES + 1) + role + 1] - from;
            EACH(item, SEGMENTS * GAMES) {
                u32 game = item % GAMES, segment = item / GAMES, word = game / 32u, lane = game % 32u, sum = 0u;
                u32 end = from + n * (segment + 1u) / SEGMENTS;
                for (u32 m = from + n * segment / SEGMENTS; m < end; m++) { u32 ref = LIST(LEGAL_AT)[m]; sum += WORD(ref, word) >> lane & 1u; }
                partial[role * SEGMENTS * GAMES + item] = sum;
            }
        }
        __syncthreads();
        EACH(g, GAMES) {
            u32 bit = 1u << (g % 32u);
            for (u32 role = 0u; role < ROLES; role++) {
                u32 sum = 0u;
                for (u32 s = 0u; s < SEGMENTS; s++) sum += partial[(role * SEGMENTS + s) * GAMES + g];
                if (!sum) atomicOr(&unable[g / 32u], bit);
            }
            if (DIGITS && age[g] >= bound) atomicOr(&old[g / 32u], bit);
            age[g]++;
        }
        __syncthreads();
        u32 ended = 0u;
        EACH(w, W) {
            u32 ref = LIST(TERMINAL_AT)[phase];
            u32 at_end = WORD(ref, w), ends = live[w] & at_end;
            u32 aged = live[w] & ~at_end & old[w];
            ends |= aged;
            u32 without = live[w] & ~ends & unable[w];
            ends |= without;
            cut += COUNT(aged);
            stuck += COUNT(without);
            playouts += COUNT(ends);
            live[w] &= ~ends;
            transitions += COUNT(live[w]);
            over[w] = ends;
            ended |= ends;
        }
        if (__syncthreads_or(ended != 0u)) {
#if KEEPS_ENDS
            EACH(i, FLUENTS * W) {
                u32 ends = over[i % W];
                u32 *at = &words[(u64)(i / W) * threads + mine + i % W];
                if (ends) *at = (*at & ~ends) | (plain[2 * W + i] & ends);
            }
#elif KEPT
            /* States are kept until a game ends where one is held. */
            u32 full = 0u;
            EACH(w, W) full |= held[w] & over[w];
            if (__syncthreads_or(full != 0u)) {
                run(slots, data, steps, KEPT_HEAD);
                count_goals(slots, data, counts, held, 0u);
                EACH(w, W) held[w] = 0u;
                /* The goals were computed in the slots of what is legal. */
                run(slots, data, steps, LIST(HEADS_AT)[3 * phase]);
            }
            EACH(i, KEPT * W) {
                u32 ends = over[i % W];
                u32 at = (2 + FLUENTS) * W + i;
                if (ends) plain[at] = (plain[at] & ~ends) | (plain[(2 + LIST(KEPT_AT)[i / W]) * W + i % W] & ends);
            }
            EACH(w, W) held[w] |= over[w];
            __syncthreads();
#else
            run(slots, data, steps, LIST(HEADS_AT)[3 * phase + 1]);
            count_goals(slots, data, counts, over, LIST(GOALS_FROM_AT)[phase]);
#endif
        }
        u32 first = LIST(MOVES_FROM_AT)[phase * (ROLES + 1)], last = LIST(MOVES_FROM_AT)[phase * (ROLES + 1) + ROLES];
        EACH(i, (last - first) * W) { u32 slot = LIST(DOES_AT)[first + i / W]; if (slot > 1u) plain[slot * W + i % W] = 0u; }
        __syncthreads();
        for (u32 role = 0u; role < ROLES; role++) {
            u32 from = LIST(MOVES_FROM_AT)[phase * (ROLES + 1) + role], n = LIST(MOVES_FROM_AT)[phase * (ROLES + 1) + role + 1] - from;
            if (n < 2u) continue;
            EACH(item, SEGMENTS * GAMES) {
                u32 game = item % GAMES, segment = item / GAMES, word = game / 32u, lane = game % 32u, sum = 0u, before = 0u;
                for (u32 s = 0u; s < SEGMENTS; s++) {
                    u32 here = partial[(role * SEGMENTS + s) * GAMES + game];
                    sum += here;
                    if (s < segment) before += here;
                }
                u32 mine_too = partial[role * SEGMENTS * GAMES + item];
                u32 rest = below(key[word], lane, role, drawn[word] + pass, sum) - before;
                if (rest < mine_too) {
                    u32 m = from + n * segment / SEGMENTS;
                    for (;; m++) { u32 ref = LIST(LEGAL_AT)[m], here = WORD(ref, word) >> lane & 1u; if (here && rest == 0u) break; rest -= here; }
                    if (LIST(DOES_AT)[m] > 1u) atomicOr(&plain[LIST(DOES_AT)[m] * W + word], 1u << lane);
                }
            }
        }
        __syncthreads();
        run(slots, data, steps, LIST(HEADS_AT)[3 * phase + 2]);
        __syncthreads();
        phase = phase + 1u == PHASES ? 0u : phase + 1u;
    }
    __syncthreads();
#if KEEPS_ENDS
    EACH(i, FLUENTS * W) {
        u32 on = live[i % W];
        u32 *at = &words[(u64)(i / W) * threads + mine + i % W];
        *at = (*at & ~on) | (plain[2 * W + i] & on);
        plain[2 * W + i] = *at;
    }
    __syncthreads();
    run(slots, data, steps, KEPT_HEAD);
    __syncthreads();
    EACH(i, ALL_GOALS * W) { u32 ref = LIST(GOALS_AT)[i / W]; told[(u64)(i / W) * (gridDim.x * W) + mine + i % W] = WORD(ref, i % W); }
#else
#if KEPT
    run(slots, data, steps, KEPT_HEAD);
    count_goals(slots, data, counts, held, 0u);
#endif
    EACH(i, FLUENTS * W) words[(u64)(i / W) * threads + mine + i % W] = plain[2 * W + i];
#endif
    u32 under_way = 0u;
    EACH(w, W) {
        words[(FLUENTS + 0ull) * threads + mine + w] = live[w];
        words[(FLUENTS + 3ull) * threads + mine + w] = drawn[w] + passes;
        words[(FLUENTS + 4ull) * threads + mine + w] = quota[w];
        under_way += COUNT(live[w]);
    }
    EACH(g, GAMES) words[(FLUENTS + 5ull + g % 32u) * threads + mine + g / 32u] = age[g];
    ADD(&tally[0], playouts)
    ADD(&tally[1], transitions)
    ADD(&tally[2], stuck)
    ADD(&tally[3], cut)
    ADD(&tally[4], started)
    ADD(&tally[5], under_way)
    EACH(i, COUNTERS) if (i >= GOALS) atomicAdd(&tally[i], (u64)counts[i]);
}
