/* Batches of games whose moves come from outside. All that is kept is planes: word w of a plane holds a bit of each of
   the games 32w to 32w + 31, and lies at plane * words + w. The network itself, `batch_network`, is written for each
   game; the kernels here, which do everything else, are the same for all. What they mean is said by the crate
   ludex-env, with which they agree number for number. */
typedef struct {
    u32 *planes;
    const u32 *info, *data;
    u32 *room;
    const void *actions;
    u64 *first;
    void *out;
    const unsigned char *marks;
    u64 *states;
    float *rewards;
    unsigned char *terminated, *truncated, *stuck, *illegal;
    signed char *turn;
    int *made;
    u64 games, words, flags, length, seed, step, kind, from, width, span;
} Call;
/* Bits of `flags`. */
enum { NEXT_STEP = 1, SAME_STEP = 2, LOSE = 4, DRAW_ANOTHER = 8, MAKE_ONLY = 16, LOOK = 32, FLOATS = 64, LIVE_ONLY = 128, KEEP_LAST = 256 };
#define NONE (~0u)
#define AT(p, w) c.planes[(u64)(p) * c.words + (w)]
#define PLANE(p) AT(p, word)
#define BIT(p) (PLANE(p) >> lane & 1u)
#define LIVE(w) (PRESENT(w) & ~(AT(P_OVER, w) | AT(P_OVER + 1u, w)))
#define PRESENT(w) ((w) < c.games / 32u ? ~0u : (w) == c.games / 32u ? (1u << (c.games % 32u)) - 1u : 0u)
#define INFO(list, i) c.info[list##_AT + (i)]
#define OWN_GAME u64 game = (u64)blockIdx.x * blockDim.x + threadIdx.x; if (game >= c.games) return; u64 word = game / 32u; u32 lane = (u32)(game % 32u);
#define OWN_WORD u64 word = (u64)blockIdx.x * blockDim.x + threadIdx.x; if (word >= c.words) return;

/* SplitMix64 from where the last part has led: the same numbers as on the CPU. */
INSIDE u32 random_below(u32 count, u64 seed, u64 game, u64 step, u64 role) {
    u64 x = seed, part[3];
    part[0] = game; part[1] = step; part[2] = role;
    for (int i = 0; i < 3; i++) {
        x = (x ^ part[i]) + 0x9E3779B97F4A7C15ull;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
        x ^= x >> 31;
    }
    return (u32)__umul64hi(x, count);
}

/* Reads the actions: which moves are made, and which actions are not legal. The planes of moves that are made, of what
   is illegal and of games that are lost are zero before. `first` becomes the first action that is not legal. */
KERNEL batch_read(Call c) {
    OWN_GAME
    u32 bit = 1u << lane;
    u32 live = LIVE(word) >> lane & 1u;
    u64 bad = 0;
    for (u32 role = 0u; role < ROLES; role++) {
        u64 at = game * ROLES + role;
        u32 from = INFO(I_FROM, role), to = INFO(I_FROM, role + 1u), move = NONE;
        if (live) {
            long long action = c.kind == 0u ? ((const int *)c.actions)[at] : c.kind == 1u ? ((const long long *)c.actions)[at] : ((const unsigned short *)c.actions)[at];
            if (action >= 0 && action < INFO(I_COUNT, role)) move = INFO(I_PLACE, INFO(I_PLACE_FROM, role) + (u32)action);
            if (move != NONE && !BIT(P_LEGAL + move)) move = NONE;
            if (move == NONE && c.flags & MAKE_ONLY) {
                u32 found = 0u, only = NONE;
                for (u32 m = from; m < to && found < 2u; m++) if (BIT(P_LEGAL + m)) { found++; only = m; }
                if (found == 1u) move = only;
            }
            if (move == NONE) {
                bad |= 1ull << role;
                if (c.flags & DRAW_ANOTHER) {
                    u32 count = 0u;
                    for (u32 m = from; m < to; m++) count += BIT(P_LEGAL + m);
                    if (count) {
                        u32 left = random_below(count, c.seed, game, c.step, role);
                        for (u32 m = from; m < to; m++) if (BIT(P_LEGAL + m)) { if (!left) { move = m; break; } left--; }
                    }
                }
            }
            if (move != NONE) atomicOr(&PLANE(P_DOES + move), bit);
        }
        if (c.made) c.made[at] = move == NONE ? -1 : (int)INFO(I_NUMBER, move);
    }
    if (c.illegal) for (u32 role = 0u; role < ROLES; role++) c.illegal[game * ROLES + role] = bad >> role & 1u;
    if (!bad) return;
    u32 first = 0u;
    while (!(bad >> first & 1u)) first++;
    atomicMin(c.first, game * ROLES + first);
    for (u32 role = first; role < ROLES; role++) if (bad >> role & 1u) atomicOr(&PLANE(P_ILLEGAL + role), bit);
    if (c.flags & LOSE) {
        atomicOr(&PLANE(P_LOST), bit);
        if (c.made) for (u32 role = 0u; role < ROLES; role++) c.made[game * ROLES + role] = -1;
    }
}

/* Ends games, and says which begin anew. */
KERNEL batch_finish(Call c) {
    OWN_WORD
    u32 present = PRESENT(word), look = c.flags & LOOK ? ~0u : 0u;
    u32 over[3];
    for (u32 i = 0u; i < 3u; i++) over[i] = PLANE(P_OVER + i);
    u32 stepping = PLANE(P_STEPPING), lost = PLANE(P_LOST) & ~look;
    u32 waiting = present & (over[0] | over[1]) & ~look;
    u32 blocked = 0u;
    for (u32 role = 0u; role < ROLES; role++) {
        u32 some = 0u, several = 0u;
        for (u32 m = INFO(I_FROM, role); m < INFO(I_FROM, role + 1u); m++) { u32 legal = PLANE(P_LEGAL + m); several |= some & legal; some |= legal; }
        blocked |= ~some;
        PLANE(P_SEVERAL + role) = several;
    }
    u32 terminated = PLANE(P_TERMINAL) & stepping, stuck = stepping & blocked & ~terminated, truncated = stuck;
    PLANE(P_RULED) = terminated;
    u32 carry = stepping, old = stepping;
    for (u32 i = 0u; c.length >> i; i++) {
        u32 digit = PLANE(P_AGE + i), grown = digit ^ carry;
        carry &= digit;
        PLANE(P_AGE + i) = look ? digit & ~stepping : grown;
        old &= c.length >> i & 1u ? grown : ~grown;
    }
    if (c.length && !look) truncated |= old & ~(terminated | stuck);
    terminated |= lost;
    PLANE(P_ENDED) = terminated;
    over[0] = (over[0] & ~stepping) | terminated;
    over[1] = (over[1] & ~stepping) | truncated;
    over[2] = (over[2] & ~stepping) | stuck;
    u32 again = c.flags & SAME_STEP ? waiting | terminated | truncated : c.flags & NEXT_STEP ? waiting : 0u;
    if (look) again = 0u;
    u32 said[3];
    said[0] = terminated; said[1] = truncated; said[2] = stuck;
    for (u32 i = 0u; i < 3u; i++) {
        over[i] = (over[i] & ~again) | (INFO(I_OPENING, i) & again);
        PLANE(P_OVER + i) = over[i];
        PLANE(P_SAID + i) = look ? over[i] & present : said[i] | (over[i] & waiting);
    }
    for (u32 i = 0u; c.length >> i; i++) PLANE(P_AGE + i) &= ~again;
    for (u32 role = 0u; role < ROLES; role++) PLANE(P_SEVERAL + role) = (PLANE(P_SEVERAL + role) & ~again) | (INFO(I_SEVERAL, role) & again);
    PLANE(P_AGAIN) = again;
}

/* Begins all games that are marked in the initial state. */
KERNEL batch_begin(Call c) {
    OWN_WORD
    u32 again = PLANE(P_STEPPING) & PRESENT(word);
    for (u32 i = 0u; i < 3u; i++) PLANE(P_OVER + i) = (PLANE(P_OVER + i) & ~again) | (INFO(I_OPENING, i) & again);
    for (u32 i = 0u; i < 3u; i++) PLANE(P_SAID + i) = PLANE(P_OVER + i) & PRESENT(word);
    for (u32 i = 0u; c.length >> i; i++) PLANE(P_AGE + i) &= ~again;
    for (u32 role = 0u; role < ROLES; role++) PLANE(P_SEVERAL + role) = (PLANE(P_SEVERAL + role) & ~again) | (INFO(I_SEVERAL, role) & again);
    PLANE(P_AGAIN) = again;
}

/* Puts the initial state and what is legal in it where games begin anew, and keeps the last states; a plane each y. */
KERNEL batch_renew(Call c) {
    OWN_WORD
    u32 plane = blockIdx.y, again = PLANE(P_AGAIN), old = PLANE(plane);
    if (c.flags & KEEP_LAST && plane < FLUENTS) PLANE(P_LAST + plane) = old;
    if (again) PLANE(plane) = (old & ~again) | (INFO(I_START, plane) & again);
}

INSIDE float as_float(u32 bits) { union { u32 u; float f; } x; x.u = bits; return x.f; }

/* Writes rewards, flags and whose turn it is. */
KERNEL batch_tell(Call c) {
    OWN_GAME
    if (c.terminated) c.terminated[game] = BIT(P_SAID);
    if (c.truncated) c.truncated[game] = BIT(P_SAID + 1u);
    if (c.stuck) c.stuck[game] = BIT(P_SAID + 2u);
    if (c.turn) {
        int turn = -1;
        if (LIVE(word) >> lane & 1u) {
            u32 controls = INFO(I_CONTROL, 0u);
            for (u32 i = 0u; i < controls; i++) if (BIT(INFO(I_CONTROL, 1u + 2u * i))) turn = (int)INFO(I_CONTROL, 2u + 2u * i);
            if (!controls) {
                u32 choosing = 0u;
                for (u32 role = 0u; role < ROLES; role++) if (BIT(P_SEVERAL + role)) { choosing++; turn = (int)role; }
                if (choosing != 1u) turn = -1;
            }
        }
        c.turn[game] = (signed char)(turn > 127 ? -1 : turn);
    }
    if (c.rewards) {
        float reward[ROLES];
        for (u32 role = 0u; role < ROLES; role++) reward[role] = 0.0f;
        if (!(c.flags & LOOK) && BIT(P_ENDED)) {
            for (u32 role = 0u; role < ROLES; role++) reward[role] = as_float(INFO(I_WORTH, 0u));
            for (u32 role = 0u; role < ROLES; role++) {
                u32 value = NONE, several = 0u;
                if (BIT(P_RULED)) {
                    for (u32 i = INFO(I_GOAL_FROM, role); i < INFO(I_GOAL_FROM, role + 1u); i++) if (BIT(P_GOALS + i)) { several |= value != NONE; value = i; }
                    if (several || (value != NONE && !INFO(I_IS_NUMBER, value))) value = NONE;
                } else if (!BIT(P_ILLEGAL + role)) value = GOALS;
                if (value != NONE) for (u32 at = 0u; at < ROLES; at++) reward[at] += as_float(at == role ? INFO(I_OWN, value) : INFO(I_OTHERS, value));
            }
        }
        for (u32 role = 0u; role < ROLES; role++) c.rewards[game * ROLES + role] = reward[role];
    }
}

/* Bits as rows of bytes or floats: `span` words of games a block, `width` columns a row, whose planes the list at `from`
   names. A block first gathers its words, then writes 16 bytes a thread. */
typedef struct ALIGNED(16) { u32 v[4]; } sixteen;
#define HELD 12288
INSIDE void fill_rows(u32 *out, const u32 *held, u32 width, u32 total, u32 floats) {
    u32 each = floats ? 4u : 16u;
    for (u32 i = threadIdx.x; i < total / each; i += blockDim.x) {
        u32 row = i * each / width, column = i * each - row * width;
        const u32 *words = held + (row >> 5) * width;
        sixteen all;
        for (u32 k = 0u; k < 4u; k++) {
            u32 value = 0u;
            for (u32 b = 0u; b < (floats ? 1u : 4u); b++) {
                u32 bit = words[column] >> (row & 31u) & 1u;
                value |= floats ? (0u - bit) & 0x3F800000u : bit << (8u * b);
                if (++column == width) { column = 0u; row++; words = held + (row >> 5) * width; }
            }
            all.v[k] = value;
        }
        ((sixteen *)out)[i] = all;
    }
    for (u32 i = total - total % each + threadIdx.x; i < total; i += blockDim.x) {
        u32 row = i / width, bit = held[(row >> 5) * width + i % width] >> (row & 31u) & 1u;
        if (floats) out[i] = (0u - bit) & 0x3F800000u;
        else ((unsigned char *)out)[i] = (unsigned char)bit;
    }
}
KERNEL batch_rows(Call c) {
    DYNAMIC(memory, HELD)
    u32 width = (u32)c.width, span = (u32)c.span;
    u64 first = (u64)blockIdx.x * span, begin = first * 32u;
    if (begin >= c.games) return;
    for (u32 i = threadIdx.x; i < width * span; i += blockDim.x) {
        u32 w = i % span, column = i / span, plane = c.info[c.from + column];
        u32 bits = plane == NONE ? 0u : AT(plane, first + w);
        if (c.flags & LIVE_ONLY) bits &= LIVE(first + w);
        memory[w * width + column] = bits;
    }
    __syncthreads();
    u64 left = c.games - begin;
    u32 total = (left < span * 32u ? (u32)left : span * 32u) * width;
    if (c.flags & FLOATS) fill_rows((u32 *)((float *)c.out + begin * width), memory, width, total, 1u);
    else fill_rows((u32 *)((unsigned char *)c.out + begin * width), memory, width, total, 0u);
}

/* The same for rows that are too long to be gathered: a row each y, a column a thread. */
KERNEL batch_long_rows(Call c) {
    u64 column = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= c.width) return;
    u32 plane = c.info[c.from + column];
    for (u64 game = blockIdx.y; game < c.games; game += gridDim.y) {
        u64 word = game / 32u;
        u32 lane = (u32)(game % 32u), bit = plane == NONE ? 0u : BIT(plane);
        if (c.flags & LIVE_ONLY) bit &= LIVE(word) >> lane & 1u;
        if (c.flags & FLOATS) ((float *)c.out)[game * c.width + column] = (float)bit;
        else ((unsigned char *)c.out)[game * c.width + column] = (unsigned char)bit;
    }
}

/* Numbers between zero and one in rows of floats: (plane, first column, columns, value) at `from`, `span` of them. */
KERNEL batch_numbers(Call c) {
    OWN_GAME
    for (u32 i = 0u; i < c.span; i++) {
        const u32 *one = c.info + c.from + 4u * i;
        if (BIT(one[0])) for (u32 column = 0u; column < one[2]; column++) ((float *)c.out)[game * c.width + one[1] + column] = as_float(one[3]);
    }
}

/* A random legal action of each role, zero where a game is over. */
KERNEL batch_sample(Call c) {
    OWN_GAME
    u32 live = LIVE(word) >> lane & 1u;
    for (u32 role = 0u; role < ROLES; role++) {
        u32 from = INFO(I_FROM, role), to = INFO(I_FROM, role + 1u), count = 0u, action = 0u;
        if (live) for (u32 m = from; m < to; m++) count += BIT(P_LEGAL + m);
        if (count) {
            u32 left = random_below(count, c.seed, game, 0u, role);
            for (u32 m = from; m < to; m++) if (BIT(P_LEGAL + m)) { if (!left) { action = INFO(I_NUMBER, m); break; } left--; }
        }
        ((int *)c.out)[game * ROLES + role] = (int)action;
    }
}

/* States as rows of 64-bit words, `width` of them a game; a word each y. */
KERNEL batch_states(Call c) {
    OWN_GAME
    u32 from = blockIdx.y * 64u;
    u64 bits = 0;
    for (u32 i = 0u; i < 64u && from + i < FLUENTS; i++) bits |= (u64)BIT(from + i) << i;
    ((u64 *)c.out)[game * c.width + blockIdx.y] = bits;
}

/* Which games are meant: those whose byte is not zero, or all. Of given states, the first with a bit that is no fluent. */
KERNEL batch_mark(Call c) {
    OWN_WORD
    u32 marked = PRESENT(word);
    for (u32 lane = 0u; lane < 32u; lane++) {
        u64 game = word * 32u + lane;
        if (game >= c.games) break;
        if (c.marks && !c.marks[game]) marked &= ~(1u << lane);
        if (c.states && marked >> lane & 1u && FLUENTS % 64u && c.states[game * c.width + c.width - 1u] >> (FLUENTS % 64u)) atomicMin(c.first, game);
    }
    PLANE(P_STEPPING) = marked;
}

/* Puts given states into the games that are meant; a fluent each y. */
KERNEL batch_put(Call c) {
    OWN_WORD
    u32 marked = PLANE(P_STEPPING), fluent = blockIdx.y, bits = 0u;
    for (u32 lane = 0u; lane < 32u; lane++) if (marked >> lane & 1u) bits |= (u32)(c.states[(word * 32u + lane) * c.width + fluent / 64u] >> (fluent % 64u) & 1u) << lane;
    PLANE(fluent) = (PLANE(fluent) & ~marked) | bits;
}
