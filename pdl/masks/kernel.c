/* The walks of pdl.masks.walk in C: the same masks, some ten times as fast.

A C ABI for ctypes, without Python.h and without global state. An engine belongs to one grammar and
one vocabulary, and its caller lets one thread in at a time; different engines share nothing but the
trie, which nobody writes. Numbers of states, stacks and configurations are indices into arrays of
the engine, and each number from outside is checked. All memory is counted, up to a bound that the
caller sets. Nothing recurses. */

#include "kernel_configurations.h"

#ifndef PDL_SOURCE
#define PDL_SOURCE 0
#endif

/* The checksum of the source that this was built from. */
API uint32_t pdl_source(void) { return PDL_SOURCE; }

/* The configuration at a node, from that of the node above; 1 if one is there and no node is below,
so that no rule is entered after a token. */
static inline int32_t following(Engine *e, int32_t here, int32_t node) {
    int32_t row = CONFIG(here).row;
    if (row == UNKNOWN && (row = row_of(e, here)) < 0) return row;
    int32_t kind = e->kind[e->trie.byte[node]], found = ROW(row)[kind];
    if (!e->trie.height[node]) return found != 0;
    if (found == UNKNOWN) found = stepped(e, here, kind);
    if (found > 0 && CONFIG(found).flags & COUNTED) found = clamped(e, found, e->trie.height[node]);
    return found;
}

static inline void set_token(uint32_t *mask, int32_t token) {
    mask[token >> 5] |= (uint32_t)1 << (token & 31);
}

static inline void set_tokens(const Trie *trie, int32_t node, uint32_t *mask) {
    for (int32_t i = trie->low[node]; i < trie->low[node + 1]; i++) set_token(mask, trie->order[i]);
}

/* Allow all tokens below a node that a configuration leads to, from one of its nodes on: where the
walk stopped, if it did. */
static int below(Engine *e, int32_t node, int32_t here, uint32_t *mask, int32_t from) {
    const Trie *trie = &e->trie;
    int32_t end = trie->last[node];
    e->path[trie->level[node]] = here;
    for (int32_t i = from; i < end;) {
        int32_t level = trie->level[i], there = following(e, e->path[level - 1], i);
        if (there < 0) {
            e->stopped = i;
            return there;
        }
        if (!there) {
            i = trie->last[i];
            continue;
        }
        e->path[level] = there;
        set_tokens(trie, i++, mask);
    }
    return 0;
}

static int is_number(Engine *e, int32_t number) { return number >= 0 && number < e->configs.size; }

/* Where a walk goes on: at the first node, or where it stopped, as a rule was lacking. */
static int32_t resumed(Engine *e, int32_t *stopped) {
    int32_t from = *stopped ? e->stopped : 1;
    *stopped = 1;
    return from;
}

/* The mask of a configuration. `stopped` is 0 at first, and kept where the call is made again. */
API int pdl_walk(Engine *e, int32_t here, int32_t *stopped, uint32_t *mask) {
    return is_number(e, here) ? below(e, 0, here, mask, resumed(e, stopped)) : INVALID;
}

/* Whether a configuration may be one inside a lexeme: more bytes follow than in JSON's structure.
*/
static int is_wide(Engine *e, int32_t here) {
    if (CONFIG(here).flags & MEASURED) return CONFIG(here).flags & WIDE;
    uint8_t first[256] = {0};
    for (int32_t i = 0; i < CONFIG(here).count; i++) {
        State state = STATE(ITEM(CONFIG(here).first + i).state);
        for (int32_t k = 0; k < state.count; k++)
            memset(first + NUMBER(state.first + 3 * k), 1,
                   (size_t)(NUMBER(state.first + 3 * k + 1) - NUMBER(state.first + 3 * k) + 1));
    }
    int32_t bytes = 0, within = 1;
    for (int32_t kind = 0; kind < e->classes; kind++)
        if (first[kind]) {
            bytes += e->size[kind];
            within &= e->continues[kind];
        }
    int wide = bytes > FIRSTS || (bytes && within) ? WIDE : 0;
    CONFIG(here).flags |= MEASURED | wide | (wide && !within ? BROAD : 0);
    return wide;
}

/* Whether a configuration is one inside a character. */
static int is_inside(Engine *e, int32_t here) {
    return is_wide(e, here) && !(CONFIG(here).flags & BROAD);
}

/* Whether two configurations inside a character lead to the same ones at its end. */
static int32_t alike(Engine *e, int32_t here, int32_t partner) {
    int32_t pairs[ALIKE][2] = {{here, partner}}, count = 1;
    for (int32_t done = 0; done < count; done++)
        for (int32_t kind = 0; kind < e->classes; kind++) {
            if (!e->continues[kind]) continue;
            int32_t one = stepped(e, pairs[done][0], kind);
            int32_t other = one < 0 ? one : stepped(e, pairs[done][1], kind);
            if (other < 0) return other;
            if (one == other) continue;
            if (count == ALIKE || !is_inside(e, one) || !is_inside(e, other)) return 0;
            pairs[count][0] = one;
            pairs[count++][1] = other;
        }
    return 1;
}

/* The configuration of a partner, or the other one if the two are alike, which is `known` of the last
two that were looked at. */
static int32_t merged(Engine *e, int32_t here, int32_t partner, int32_t known[3]) {
    if (here == partner || !is_inside(e, here) || !is_inside(e, partner)) return partner;
    if (here != known[0] || partner != known[1]) known[2] = alike(e, here, partner);
    known[0] = here;
    known[1] = partner;
    return known[2] < 0 ? known[2] : known[2] ? here : partner;
}

/* Correct the mask of one configuration to that of another one. */
API int pdl_differ(Engine *e, int32_t here, int32_t partner, int32_t *stopped, uint32_t *mask) {
    const Trie *trie = &e->trie;
    if (!is_number(e, here) || !is_number(e, partner)) return INVALID;
    e->path[0] = here;
    e->beside[0] = partner;
    int32_t known[3] = {0, 0, 0};
    for (int32_t i = resumed(e, stopped); i < trie->nodes;) {
        int32_t level = trie->level[i];
        int32_t there = following(e, e->path[level - 1], i);
        int32_t other = there < 0 ? there : following(e, e->beside[level - 1], i);
        if (other > 0 && e->trie.height[i]) other = merged(e, there, other, known);
        if (other < 0) {
            e->stopped = i;
            return other;
        }
        if (there == other || !there || !e->trie.height[i]) {
            if (there && !other) set_tokens(trie, i, mask);
            if (!there && other)
                for (int32_t k = trie->low[i]; k < trie->low[trie->last[i]]; k++)
                    mask[trie->order[k] >> 5] &= ~((uint32_t)1 << (trie->order[k] & 31));
            i = trie->last[i];
            continue;
        }
        e->path[level] = there;
        e->beside[level] = other;
        set_tokens(trie, i++, mask);
    }
    return 0;
}

/* Allow the tokens that leave a lexeme: from `count` groups of nodes, each after one byte. */
API int pdl_leave(Engine *e, const int32_t *members, int32_t size, const int32_t *keys,
                  const int32_t *ends, int32_t count, const int32_t *nodes, uint32_t *mask) {
    for (int32_t group = 0, at = 0; group < count; group++) {
        int32_t member = keys[group] >> 8;
        if (member < 0 || member >= size || !is_number(e, members[member])) return INVALID;
        int32_t there = stepped(e, members[member], e->kind[keys[group] & 255]);
        if (there < 0) return there;
        if (!there) at = ends[group];
        for (; at < ends[group]; at++) {
            int32_t node = nodes[at];
            if (node < 0 || node >= e->trie.nodes) return INVALID;
            int32_t here = clamped(e, there, e->trie.height[node]);
            if (here < 0) return here;
            set_tokens(&e->trie, node, mask);
            int code = below(e, node, here, mask, node + 1);
            if (code) return code;
        }
    }
    return 0;
}

/* Where most tokens lead from a configuration: 0 if nowhere. */
static int32_t usual(Engine *e, int32_t here) {
    int32_t targets[256], best = 0;
    int64_t weights[256], count = 0;
    for (int32_t kind = 0; kind < e->classes; kind++) {
        if (!e->weight[kind]) continue;
        int32_t there = stepped(e, here, kind), i = 0;
        if (there < 0) return there;
        if (!there) continue;
        while (i < count && targets[i] != there) i++;
        if (i == count) {
            targets[count] = there;
            weights[count++] = 0;
        }
        weights[i] += e->weight[kind];
    }
    for (int32_t i = 1; i < count; i++)
        if (weights[i] > weights[best]) best = i;
    return count ? targets[best] : 0;
}

static int32_t partner_of(Engine *e, int32_t number) {
    int32_t here = clamped(e, number, -1);
    for (int i = 0; i < PARTNERS && here >= 0; i++) {
        int32_t there = usual(e, here);
        if (there <= 0) return there;
        there = clamped(e, there, -1);
        if (there < 0 || there == here) return there;
        if (!is_wide(e, there)) return 0;
        here = there;
    }
    return here < 0 ? here : 0;
}

/* Begin a mask: the configuration that has the same, and its partner, 0 if it is to be walked. */
API int32_t pdl_kind(Engine *e, int32_t number, int32_t *partner) {
    *partner = 0;
    if (!is_number(e, number)) return INVALID;
    int32_t here = clamped(e, number, e->trie.depth);
    if (here < 0 || !is_wide(e, here) || !(CONFIG(here).flags & BROAD)) return here;
    if (CONFIG(here).partner == UNKNOWN) {
        int32_t found = partner_of(e, here);
        if (found < 0) return found;
        CONFIG(here).partner = found;
    }
    *partner = CONFIG(here).partner;
    return here;
}

/* The table of the lexeme that a configuration is in; returns how many members it has, 0 if too
many. There is room for MEMBERS and one more. */
API int32_t pdl_lexeme(Engine *e, int32_t number, uint8_t *table, int32_t *members) {
    if (!is_number(e, number)) return INVALID;
    int32_t count = 1;
    members[0] = number;
    for (int32_t member = 0; member < count; member++) {
        uint8_t targets[256];
        for (int32_t kind = 0; kind < e->classes; kind++) {
            int32_t there = stepped(e, members[member], kind), i = 0;
            if (there > 0) there = clamped(e, there, e->trie.depth);
            if (there < 0) return there;
            while (there && i < count && members[i] != there) i++;
            if (there && i == count && is_wide(e, there)) {
                if (count >= MEMBERS) return 0;
                members[count++] = there;
            }
            targets[kind] = (uint8_t)(!there ? REFUSES : i < count ? i : LEAVES);
        }
        for (int byte = 0; byte < 256; byte++) table[256 * member + byte] = targets[e->kind[byte]];
    }
    return count;
}

/* Follow all tokens in a lexeme: those inside, and the nodes at which others leave it, each with
256 times the member and the byte. Returns how many; the arrays have room for all nodes. */
API int32_t pdl_scan(const Trie *trie, const uint8_t *table, int32_t members, uint8_t *path,
                     uint32_t *mask, int32_t *nodes, int32_t *keys) {
    int32_t count = 0;
    path[0] = 0;
    for (int32_t i = 1; i < trie->nodes;) {
        int32_t level = trie->level[i], member = path[level - 1];
        uint8_t target = table[256 * member + trie->byte[i]];
        if (target >= members) {
            if (target == LEAVES) {
                nodes[count] = i;
                keys[count++] = member << 8 | trie->byte[i];
            }
            i = trie->last[i];
            continue;
        }
        path[level] = target;
        set_tokens(trie, i++, mask);
    }
    return count;
}

/* Twice the configuration after some bytes, and one more where the text may end. */
API int32_t pdl_run(Engine *e, int32_t here, const uint8_t *data, int32_t size) {
    if (!is_number(e, here)) return INVALID;
    for (int32_t i = 0; i < size && here > 0; i++) here = stepped(e, here, e->kind[data[i]]);
    return here < 0 ? here : here * 2 + (CONFIG(here).flags & COMPLETE);
}

/* The items of a configuration, as many as there is room for; returns how many there are. */
API int32_t pdl_items(Engine *e, int32_t here, int32_t *out, int32_t room) {
    if (!is_number(e, here)) return INVALID;
    Config config = CONFIG(here);
    for (int32_t i = 0; i < config.count && i < room; i++) {
        out[2 * i] = ITEM(config.first + i).state;
        out[2 * i + 1] = ITEM(config.first + i).stack;
    }
    return config.count;
}

/* The state to return to, and the stack below; INVALID for the empty one. */
API int32_t pdl_frame(Engine *e, int32_t stack, int32_t *back) {
    if (stack <= 0 || stack >= e->frames.size) return INVALID;
    *back = FRAME(stack).back;
    return FRAME(stack).below;
}

API int32_t pdl_push(Engine *e, int32_t back, int32_t below_) {
    int code = ready(e, back);
    if (code) return code;
    return below_ < 0 || below_ >= e->frames.size ? INVALID : pushed(e, back, below_);
}

/* Twice the configuration of the closure of some states with their stacks, and one more where the
text may end. */
API int32_t pdl_config(Engine *e, const int32_t *items, int32_t count, int32_t complete) {
    int32_t turn = begun(e);
    for (int32_t i = 0; i < count; i++) {
        int32_t state = items[2 * i], stack = items[2 * i + 1];
        if (stack < 0 || stack >= e->frames.size) return INVALID;
        int code = pend(e, state, stack, turn);
        if (code) return code;
    }
    int32_t found = closed(e, turn, complete ? COMPLETE : 0);
    return found < 0 ? found : found * 2 + (CONFIG(found).flags & COMPLETE);
}

/* The rule that the last call lacked, if it returned UNLOADED: load it, and call again. */
API int32_t pdl_wanted(const Engine *e) { return e->wanted; }

API int64_t pdl_spent(const Engine *e) { return e->spent; }

API void pdl_free(Engine *e) {
    if (!e) return;
    Array *arrays[] = {&e->pages, &e->starts, &e->numbers, &e->repetitions, &e->frames,
                       &e->configs, &e->items, &e->rows, &e->pending, &e->found,
                       &e->frame_table, &e->config_table, &e->seen};
    for (int32_t i = 0; i < e->pages.size; i++) free(AT(State *, e->pages, i));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]->data);
    free(e->path);
    free(e->beside);
    free(e);
}

static int prepared(Engine *e) {
    int code = grow(e, &e->pending, 1);
    if (!code) code = grow(e, &e->found, 1);
    if (!code) code = grow(e, &e->frames, 1);
    if (!code) code = grow(e, &e->configs, 1);
    if (code) return FULL;
    FRAME(0) = (Frame){-1, -1};
    CONFIG(0) = (Config){0, 0, 0, MEASURED, UNKNOWN, 0, 0, 0, 0, 0};
    e->frames.size = e->configs.size = 1;
    return row_of(e, 0) < 0 ? FULL : 0;
}

/* A new engine, NULL if there is no memory. `kind` has the class of each byte, in order; `weight`
how many nodes of the trie begin with it; `limit` bounds the items of a configuration. */
API Engine *pdl_new(const Trie *trie, const uint8_t *kind, const int64_t *weight,
                    int32_t limit, int64_t bound) {
    Engine *e = calloc(1, sizeof(Engine));
    if (!e) return NULL;
    e->trie = *trie;
    e->limit = limit < WORK ? limit : WORK;
    e->bound = bound;
    e->classes = kind[255] + 1;
    for (int byte = 255; byte >= 0; byte--) {
        e->kind[byte] = kind[byte] < e->classes ? kind[byte] : 0;
        e->example[e->kind[byte]] = byte;
        e->size[e->kind[byte]]++;
        e->weight[e->kind[byte]] += weight[byte];
    }
    for (int32_t i = 0; i < e->classes; i++)
        e->continues[i] = e->example[i] >= 0x80 && e->example[i] + e->size[i] <= 0xC0;
    Array ints = {NULL, 0, 0, sizeof(int32_t)}, items = {NULL, 0, 0, sizeof(Item)};
    e->starts = e->numbers = e->frame_table = e->config_table = ints;
    e->items = e->pending = e->found = items;
    e->pages = (Array){NULL, 0, 0, sizeof(State *)};
    e->repetitions = (Array){NULL, 0, 0, sizeof(Repetition)};
    e->frames = (Array){NULL, 0, 0, sizeof(Frame)};
    e->configs = (Array){NULL, 0, 0, sizeof(Config)};
    e->rows = (Array){NULL, 0, 0, (int32_t)sizeof(int32_t) * e->classes};
    size_t room = sizeof(int32_t) * ((size_t)trie->depth + 2);
    e->path = calloc(1, room);
    e->beside = calloc(1, room);
    e->stopped = 1;
    if (!e->path || !e->beside || prepared(e)) {
        pdl_free(e);
        return NULL;
    }
    return e;
}
