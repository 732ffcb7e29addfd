/* The walks of pdl.masks.walk in C: the same masks, some ten times as fast.

A C ABI for ctypes, without Python.h and without global state. An engine belongs to one grammar and
one vocabulary, and its caller lets one thread in at a time; different engines share nothing but the
trie, which nobody writes. Numbers of states, stacks and configurations are indices into arrays of
the engine, and each number from outside is checked. All memory is counted, up to a bound that the
caller sets. Nothing recurses.

A rule is unknown until the caller loads it, which a callback asks for; of a repetition it has the
first copy, and others are derived from that. A stack is a linked list of states to return to, and
there is one for the same states. A configuration is a set of states with
their stacks, and there is one for the same set; 0 is the dead one. Where each class of bytes leads
is filled in when it is needed (lazy determinization). */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

enum { AMBIGUOUS = -1, FULL = -2, UNLOADED = -3, INVALID = -4 };
enum { NONE, MOVES, SPLIT, CALL, END, LITERAL, REPETITION }; /* as in pdl.gbnf.edges */
enum { COMPLETE = 1, COUNTED = 2, WIDE = 4, MEASURED = 8, BROAD = 16 };
enum { UNKNOWN = -1, NEVER = 1 << 30, INNERMOST = 3, MEMBERS = 40, PARTNERS = 40 };
enum { LEAVES = 254, REFUSES = 255, FIRSTS = 24, WORK = 4000, SEEN = 1 << 13, THINNED = 100, LINEAR = 12 };
enum { PAGE = 256, DEEPEST = 40 };

typedef struct { /* a vocabulary's trie in depth-first order; node 0 is the root */
    int32_t nodes, tokens, depth;
    const uint8_t *byte;
    const uint16_t *level, *height; /* bytes of the prefix; bytes below, at most */
    const int32_t *last, *low;      /* one after the last node below; the node's first token */
    const int32_t *order;           /* the tokens by their bytes */
} Trie;

typedef struct {
    int8_t kind, known, optional; /* the repetition around it: whether its rounds are optional, */
    int32_t rounds, endless;      /* how many are left, and the same state with endless ones */
    int32_t first, count;         /* its numbers */
} State;
typedef struct { int32_t first, end, size, copies, entry, following, optional, up; } Repetition;
typedef struct { int32_t back, below; } Frame;
typedef struct { int32_t state, stack; } Item;
typedef struct {
    uint32_t hash;
    int32_t first, count, flags, row, whole, least, most, clamped, partner;
} Config;

typedef struct {
    void *data;
    int32_t size, room, width;
} Array;

typedef int32_t (*Loader)(int32_t rule);

typedef struct {
    Trie trie;
    Loader load;
    int64_t spent, bound;
    int32_t limit, classes;
    uint8_t kind[256];
    int32_t size[256], example[256]; /* of each class */
    int64_t weight[256];             /* nodes of the trie that begin with one of its bytes */
    uint8_t continues[256];
    Array pages, starts, numbers, repetitions, frames, configs, items, rows, pending, found;
    Array frame_table, config_table, seen;
    int32_t *path, *beside; /* configurations along a prefix */
} Engine;

#ifndef PDL_SOURCE
#define PDL_SOURCE 0
#endif

/* The checksum of the source that this was built from. */
API uint32_t pdl_source(void) { return PDL_SOURCE; }

#define AT(type, array, index) (((type *)(array).data)[index])
#define STATE(index) AT(State *, e->pages, (index) / PAGE)[(index) % PAGE]
#define NUMBER(index) AT(int32_t, e->numbers, index)
#define START(rule) AT(int32_t, e->starts, rule) /* UNKNOWN if it is not loaded */
#define REPETITION(index) AT(Repetition, e->repetitions, index)
#define FRAME(index) AT(Frame, e->frames, index)
#define CONFIG(index) AT(Config, e->configs, index)
#define ITEM(index) AT(Item, e->items, index)
#define ROW(index) (&AT(int32_t, e->rows, (size_t)(index) * (size_t)e->classes))

/* Make room for some more elements. */
static int grow(Engine *e, Array *a, int32_t more) {
    int64_t needed = (int64_t)a->size + more, room = a->room ? a->room : 64;
    if (needed <= a->room) return 0;
    while (room < needed) room *= 2;
    int64_t added = (room - a->room) * a->width;
    if (room > INT32_MAX / 2 || e->spent + added > e->bound) return FULL;
    void *data = realloc(a->data, (size_t)(room * a->width));
    if (!data) return FULL;
    e->spent += added;
    a->data = data;
    a->room = (int32_t)room;
    return 0;
}

static uint32_t mixed(uint32_t hash, uint32_t value) {
    hash = (hash ^ value) * 0x9E3779B1u;
    return hash ^ hash >> 15;
}

/* Room in an open-addressed table of `count` numbers; they are put again by `hash_of`. */
static int rehash(Engine *e, Array *table, int32_t count, uint32_t (*hash_of)(Engine *, int32_t)) {
    if ((int64_t)count * 2 < table->size) return 0;
    int32_t before = table->size, room = before ? before : 128;
    int code = grow(e, table, room);
    if (code) return code;
    table->size = before ? before * 2 : 128;
    int32_t *slots = table->data, mask = table->size - 1;
    for (int32_t i = 0; i < table->size; i++) slots[i] = UNKNOWN;
    for (int32_t number = 0; number < count; number++) {
        uint32_t at = hash_of(e, number);
        while (slots[at & (uint32_t)mask] != UNKNOWN) at++;
        slots[at & (uint32_t)mask] = number;
    }
    return 0;
}

static uint32_t frame_hash(Engine *e, int32_t number) {
    return mixed(mixed(7, (uint32_t)FRAME(number).back), (uint32_t)FRAME(number).below);
}

static uint32_t config_hash(Engine *e, int32_t number) { return CONFIG(number).hash; }

/* The stack with one more state to return to. */
static int32_t pushed(Engine *e, int32_t back, int32_t below) {
    int code = rehash(e, &e->frame_table, e->frames.size, frame_hash);
    if (code) return code;
    int32_t *slots = e->frame_table.data;
    uint32_t mask = (uint32_t)e->frame_table.size - 1;
    uint32_t at = mixed(mixed(7, (uint32_t)back), (uint32_t)below);
    for (; slots[at & mask] != UNKNOWN; at++) {
        Frame known = FRAME(slots[at & mask]);
        if (known.back == back && known.below == below) return slots[at & mask];
    }
    if ((code = grow(e, &e->frames, 1))) return code;
    FRAME(e->frames.size) = (Frame){back, below};
    slots[at & mask] = e->frames.size;
    return e->frames.size++;
}

/* Room for a state. */
static int page(Engine *e, int32_t state) {
    State **held = &AT(State *, e->pages, state / PAGE);
    int64_t size = PAGE * (int64_t)sizeof(State);
    if (*held) return 0;
    if (e->spent + size > e->bound || !(*held = calloc(PAGE, sizeof(State)))) return FULL;
    e->spent += size;
    return 0;
}

/* How many repetitions begin at a state or before it. */
static int32_t after_repetitions(Engine *e, int32_t state) {
    int32_t low = 0, high = e->repetitions.size;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (REPETITION(middle).first <= state) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The repetition around a state; of those around each other, one in whose first copy the state is,
if there is one. UNKNOWN if there is none. */
static int32_t repetition_at(Engine *e, int32_t state) {
    int32_t at = after_repetitions(e, state) - 1;
    while (at >= 0 && state >= REPETITION(at).end)
        at = REPETITION(at).up ? at - REPETITION(at).up : UNKNOWN;
    return at;
}

/* Where another copy leads, by where the first one does. */
static int32_t in_copy(Repetition one, int32_t target, int32_t copy) {
    if (one.first <= target && target < one.first + one.size) return target + copy * one.size;
    if (target == one.following) return one.entry + (copy - (copy < one.copies)) * one.size;
    return target;
}

/* Give a state the edges of its equal in the first copy. */
static int derived(Engine *e, int32_t state, Repetition around, int32_t copy) {
    int32_t equal = state - copy * around.size;
    State first = STATE(equal);
    int32_t count = first.kind == MOVES ? 3 * first.count : first.count;
    int code = first.kind == NONE ? INVALID : grow(e, &e->numbers, count);
    if (code) return code;
    int splits = first.kind == SPLIT && around.optional && equal == around.first + around.size - 1;
    STATE(state).kind = first.kind;
    STATE(state).count = first.count;
    STATE(state).first = e->numbers.size;
    for (int32_t i = 0; i < count; i++) {
        int32_t held = NUMBER(first.first + i);
        int is_target = first.kind == MOVES ? i % 3 == 2 : first.kind == CALL ? i == 1 : !i || !splits;
        NUMBER(e->numbers.size++) = is_target ? in_copy(around, held, copy) : held;
    }
    return 0;
}

/* Know a state whose equal in the first copy of the repetition around it is known. */
static int know(Engine *e, int32_t state) {
    int32_t at = repetition_at(e, state);
    int32_t rounds = NEVER, endless = state, optional = 0;
    if (at != UNKNOWN) {
        Repetition around = REPETITION(at);
        int32_t copy = (state - around.first) / around.size, equal = state - copy * around.size;
        int code = copy ? derived(e, state, around, copy) : 0;
        if (code) return code;
        if (copy && repetition_at(e, equal) != at) { /* that one is the inmost */
            rounds = STATE(equal).rounds;
            endless = state + STATE(equal).endless - equal;
            optional = STATE(equal).optional;
        } else if (copy < around.copies) {
            rounds = copy;
            endless = state + (around.copies - copy) * around.size;
            optional = around.optional;
        }
    }
    State *found = &STATE(state);
    found->rounds = rounds;
    found->endless = endless;
    found->optional = (int8_t)optional;
    found->known = 1;
    return found->kind == NONE ? INVALID : 0;
}

/* Know a state of a rule that is loaded: its edges, and its rounds. */
static int ready(Engine *e, int32_t state) {
    int32_t equals[DEEPEST], count = 0;
    if (state < 0 || state / PAGE >= e->pages.size) return INVALID;
    for (;;) {
        int code = page(e, state);
        if (code) return code;
        if (STATE(state).known) break;
        if (count == DEEPEST) return INVALID;
        equals[count++] = state;
        int32_t at = repetition_at(e, state);
        if (at == UNKNOWN || state < REPETITION(at).first + REPETITION(at).size) break;
        state = REPETITION(at).first + (state - REPETITION(at).first) % REPETITION(at).size;
    }
    while (count) {
        int code = know(e, equals[--count]);
        if (code) return code;
    }
    return 0;
}

/* Where a rule starts, which is loaded if it was not. */
static int32_t entered(Engine *e, int32_t rule) {
    if (START(rule) == UNKNOWN && (e->load(rule) || START(rule) == UNKNOWN)) return UNLOADED;
    return START(rule);
}

static int is_counted(Engine *e, Item item) {
    if (STATE(item.state).rounds != NEVER) return 1;
    for (int i = 0; i < INNERMOST && item.stack; i++, item.stack = FRAME(item.stack).below)
        if (STATE(FRAME(item.stack).back).rounds != NEVER) return 1;
    return 0;
}

static int compared(const void *one, const void *other) {
    const Item *a = one, *b = other;
    if (a->state != b->state) return a->state < b->state ? -1 : 1;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* Drop states that others subsume: of two copies of a repetition the one with fewer rounds left. */
static int32_t thinned(Engine *e, Item *items, int32_t count) {
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t rounds = STATE(items[i].state).rounds, subsumed = 0;
        if (STATE(items[i].state).optional)
            for (int32_t k = 0; k < count && !subsumed; k++)
                subsumed = items[k].stack == items[i].stack && k != i &&
                           STATE(items[k].state).endless == STATE(items[i].state).endless &&
                           STATE(items[k].state).rounds > rounds;
        if (!subsumed) items[kept++] = items[i];
    }
    return kept;
}

/* The configuration of some items, which are sorted in place. */
static int32_t interned(Engine *e, Item *items, int32_t count, int32_t complete) {
    if (!count && !complete) return 0;
    int32_t counted = 0;
    for (int32_t i = 0; i < count && !counted; i++) counted = is_counted(e, items[i]);
    if (counted && count > 1 && count <= THINNED) count = thinned(e, items, count);
    if (count > e->limit) return AMBIGUOUS;
    if (count > 1) qsort(items, (size_t)count, sizeof(Item), compared);
    uint32_t hash = mixed(11, (uint32_t)complete);
    for (int32_t i = 0; i < count; i++)
        hash = mixed(mixed(hash, (uint32_t)items[i].state), (uint32_t)items[i].stack);
    int code = rehash(e, &e->config_table, e->configs.size, config_hash);
    if (code) return code;
    int32_t *slots = e->config_table.data;
    uint32_t mask = (uint32_t)e->config_table.size - 1, at = hash;
    for (; slots[at & mask] != UNKNOWN; at++) {
        Config *known = &CONFIG(slots[at & mask]);
        if (known->hash == hash && known->count == count &&
            (known->flags & COMPLETE) == complete &&
            !memcmp(&ITEM(known->first), items, sizeof(Item) * (size_t)count))
            return slots[at & mask];
    }
    if ((code = grow(e, &e->items, count + 1)) || (code = grow(e, &e->configs, 1))) return code;
    memcpy(&ITEM(e->items.size), items, sizeof(Item) * (size_t)count);
    CONFIG(e->configs.size) = (Config){
        hash, e->items.size, count, complete | (counted ? COUNTED : 0), UNKNOWN, NEVER, 0, 0, 0,
        UNKNOWN};
    e->items.size += count;
    slots[at & mask] = e->configs.size;
    return e->configs.size++;
}

typedef struct { int32_t state, stack, turn; } Seen;

static int find(Seen *seen, uint32_t mask, int32_t turn, Item item) {
    uint32_t at = mixed(mixed(3, (uint32_t)item.state), (uint32_t)item.stack);
    for (; seen[at & mask].turn == turn; at++)
        if (seen[at & mask].state == item.state && seen[at & mask].stack == item.stack) return 1;
    seen[at & mask] = (Seen){item.state, item.stack, turn};
    return 0;
}

/* Room for the items of large closures, which few grammars have. */
static int seeking(Engine *e) {
    if (e->seen.data) return 0;
    if (e->spent + SEEN * (int64_t)sizeof(Seen) > e->bound) return FULL;
    if (!(e->seen.data = calloc(SEEN, sizeof(Seen)))) return FULL;
    e->spent += SEEN * (int64_t)sizeof(Seen);
    return 0;
}

/* Add an item to those that are to be closed, once in each turn. */
static int pend(Engine *e, int32_t state, int32_t stack, int32_t turn) {
    int32_t count = e->pending.size;
    if (count >= WORK) return AMBIGUOUS;
    int code = grow(e, &e->pending, 1);
    if (!code && count == LINEAR) code = seeking(e);
    if (code) return code;
    Item item = {state, stack}, *held = e->pending.data;
    uint32_t mask = SEEN - 1;
    if (count <= LINEAR) {
        for (int32_t i = 0; i < count; i++)
            if (held[i].state == state && held[i].stack == stack) return 0;
        if (count == LINEAR)
            for (int32_t i = 0; i < count; i++) find(e->seen.data, mask, turn, held[i]);
    }
    if (count >= LINEAR && find(e->seen.data, mask, turn, item)) return 0;
    held[e->pending.size++] = item;
    return 0;
}

/* The turn of a new closure; the pending items are none. */
static int32_t begun(Engine *e) {
    e->pending.size = e->found.size = 0;
    if (++e->seen.room == INT32_MAX) { /* `room` counts the turns */
        if (e->seen.data) memset(e->seen.data, 0, SEEN * sizeof(Seen));
        e->seen.room = 1;
    }
    return e->seen.room;
}

/* The configuration of the pending items, with the rules that they leave and enter. */
static int32_t closed(Engine *e, int32_t turn, int32_t complete) {
    for (int32_t done = 0; done < e->pending.size; done++) {
        Item item = AT(Item, e->pending, done);
        int code = ready(e, item.state);
        if (code) return code;
        State state = STATE(item.state);
        if (state.kind == MOVES) {
            code = grow(e, &e->found, 1);
            if (!code) AT(Item, e->found, e->found.size++) = item;
        } else if (state.kind == SPLIT) {
            for (int32_t i = 0; i < state.count && !code; i++)
                code = pend(e, NUMBER(state.first + i), item.stack, turn);
        } else if (state.kind == END) {
            if (!item.stack) complete = COMPLETE;
            else code = pend(e, FRAME(item.stack).back, FRAME(item.stack).below, turn);
        } else {
            int32_t start = entered(e, NUMBER(state.first)), back = NUMBER(state.first + 1);
            code = start < 0 ? start : ready(e, back);
            if (code) return code;
            int32_t stack = STATE(back).kind == END ? item.stack : pushed(e, back, item.stack);
            code = stack < 0 ? stack : pend(e, start, stack, turn);
        }
        if (code) return code;
    }
    return interned(e, e->found.data, e->found.size, complete);
}

/* The row of a configuration, made if there is none. */
static int32_t row_of(Engine *e, int32_t here) {
    if (CONFIG(here).row != UNKNOWN) return CONFIG(here).row;
    int code = grow(e, &e->rows, 1);
    if (code) return code;
    int32_t row = e->rows.size++;
    for (int32_t kind = 0; kind < e->classes; kind++) ROW(row)[kind] = here ? UNKNOWN : 0;
    return CONFIG(here).row = row;
}

/* The configuration after a byte of a class. */
static int32_t stepped(Engine *e, int32_t here, int32_t kind) {
    int32_t row = row_of(e, here);
    if (row < 0) return row;
    int32_t found = ROW(row)[kind];
    if (found != UNKNOWN) return found;
    int32_t turn = begun(e);
    for (int32_t i = 0; i < CONFIG(here).count; i++) {
        Item item = ITEM(CONFIG(here).first + i);
        State state = STATE(item.state);
        for (int32_t k = 0; k < state.count; k++) {
            const int32_t *move = &NUMBER(state.first + 3 * k);
            if (move[0] <= kind && kind <= move[1]) {
                int code = pend(e, move[2], item.stack, turn);
                if (code) return code;
            }
        }
    }
    found = closed(e, turn, 0);
    if (found >= 0) ROW(row)[kind] = found;
    return found;
}

typedef struct { int32_t least, most; } Bounds;

static int32_t endless(Engine *e, int32_t state, int32_t left, Bounds *bounds) {
    int32_t rounds = STATE(state).rounds;
    if (rounds == NEVER) return state;
    if (rounds > left) {
        if (rounds < bounds->most) bounds->most = rounds;
        state = STATE(state).endless;
        int code = ready(e, state);
        return code ? code : state;
    }
    if (rounds > bounds->least) bounds->least = rounds;
    return state;
}

static int32_t endless_stack(Engine *e, int32_t stack, int32_t left, Bounds *bounds) {
    int32_t backs[INNERMOST], count = 0;
    while (stack && count < INNERMOST) {
        backs[count] = endless(e, FRAME(stack).back, left, bounds);
        if (backs[count++] < 0) return backs[count - 1];
        stack = FRAME(stack).below;
    }
    while (count && stack >= 0) stack = pushed(e, backs[--count], stack);
    return stack;
}

/* The configuration that is the same for so many bytes, with endless repetitions. It is itself from
`whole` bytes on; and one other range of bytes is known. */
static int32_t clamped(Engine *e, int32_t here, int32_t left) {
    Config known = CONFIG(here);
    if (!(known.flags & COUNTED) || left >= known.whole) return here;
    if (known.least < known.most && known.least <= left && left < known.most) return known.clamped;
    Bounds bounds = {-1, NEVER};
    begun(e);
    for (int32_t i = 0; i < known.count; i++) {
        Item item = ITEM(known.first + i);
        item.state = endless(e, item.state, left, &bounds);
        if (item.state < 0) return item.state;
        if (STATE(item.state).kind != MOVES) return INVALID;
        item.stack = endless_stack(e, item.stack, left, &bounds);
        if (item.stack < 0) return item.stack;
        int32_t k = 0, code = grow(e, &e->found, 1);
        if (code) return code;
        while (k < e->found.size && compared(&AT(Item, e->found, k), &item)) k++;
        AT(Item, e->found, k) = item;
        if (k == e->found.size) e->found.size++;
    }
    int32_t found = interned(e, e->found.data, e->found.size, known.flags & COMPLETE);
    if (found < 0) return found;
    if (bounds.most == NEVER && found == here) {
        CONFIG(here).whole = bounds.least;
        return here;
    }
    CONFIG(here).least = bounds.least;
    CONFIG(here).most = bounds.most;
    return CONFIG(here).clamped = found;
}

/* The configuration at a node, from that of the node above. */
static inline int32_t following(Engine *e, int32_t here, int32_t node) {
    int32_t kind = e->kind[e->trie.byte[node]], row = CONFIG(here).row;
    int32_t found = row != UNKNOWN ? ROW(row)[kind] : UNKNOWN;
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

/* Allow all tokens below a node that a configuration leads to. */
static int below(Engine *e, int32_t node, int32_t here, uint32_t *mask) {
    const Trie *trie = &e->trie;
    int32_t end = trie->last[node];
    e->path[trie->level[node]] = here;
    for (int32_t i = node + 1; i < end;) {
        int32_t level = trie->level[i], there = following(e, e->path[level - 1], i);
        if (there < 0) return there;
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

API int pdl_walk(Engine *e, int32_t here, uint32_t *mask) {
    return is_number(e, here) ? below(e, 0, here, mask) : INVALID;
}

/* Correct the mask of one configuration to that of another one. */
API int pdl_differ(Engine *e, int32_t here, int32_t partner, uint32_t *mask) {
    const Trie *trie = &e->trie;
    if (!is_number(e, here) || !is_number(e, partner)) return INVALID;
    e->path[0] = here;
    e->beside[0] = partner;
    for (int32_t i = 1; i < trie->nodes;) {
        int32_t level = trie->level[i];
        int32_t there = following(e, e->path[level - 1], i);
        if (there < 0) return there;
        int32_t other = following(e, e->beside[level - 1], i);
        if (other < 0) return other;
        if (there == other || !there) {
            if (there != other)
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
            int32_t here = CONFIG(there).flags & COUNTED ? clamped(e, there, e->trie.height[node]) : there;
            if (here < 0) return here;
            set_tokens(&e->trie, node, mask);
            int code = below(e, node, here, mask);
            if (code) return code;
        }
    }
    return 0;
}

/* Whether a configuration may be one inside a lexeme: more bytes follow than in JSON's structure. */
static int is_wide(Engine *e, int32_t here) {
    if (CONFIG(here).flags & MEASURED) return CONFIG(here).flags & WIDE;
    uint8_t first[256] = {0};
    for (int32_t i = 0; i < CONFIG(here).count; i++) {
        State state = STATE(ITEM(CONFIG(here).first + i).state);
        for (int32_t k = 0; k < state.count; k++)
            for (int32_t kind = NUMBER(state.first + 3 * k); kind <= NUMBER(state.first + 3 * k + 1); kind++)
                first[kind] = 1;
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
        for (int32_t byte = 0; byte < 256; byte++) table[256 * member + byte] = targets[e->kind[byte]];
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

/* Room for the states of a rule. */
static int paged(Engine *e, int32_t end) {
    int32_t size = e->pages.size, count = (end - 1) / PAGE + 1;
    int code = count > size ? grow(e, &e->pages, count - size) : 0;
    if (code) return code;
    for (; e->pages.size < count; e->pages.size++) AT(State *, e->pages, e->pages.size) = NULL;
    return 0;
}

/* Room for the start of a rule. */
static int numbered(Engine *e, int32_t rule) {
    if (rule > INT32_MAX / 4) return FULL;
    int code = rule < e->starts.size ? 0 : grow(e, &e->starts, rule - e->starts.size + 1);
    if (code) return code;
    while (e->starts.size <= rule) START(e->starts.size++) = UNKNOWN;
    return 0;
}

/* Load a record of one state, which has not been loaded. */
static int load_state(Engine *e, int32_t state, int32_t kind, const int32_t *data, int32_t count) {
    int code = page(e, state);
    if (!code) code = STATE(state).kind != NONE ? INVALID : grow(e, &e->numbers, count + 3);
    if (!code && kind == CALL) code = numbered(e, data[0]);
    if (code) return code;
    State *loaded = &STATE(state);
    loaded->kind = (int8_t)kind;
    loaded->first = e->numbers.size;
    loaded->count = kind == MOVES ? count / 3 : count;
    for (int32_t i = 0; i < count; i++)
        NUMBER(e->numbers.size++) = kind == MOVES && i % 3 < 2 ? e->kind[data[i]] : data[i];
    return 0;
}

/* Load the states of a literal, one for each byte, the last one first. */
static int load_literal(Engine *e, int32_t state, const int32_t *data, int32_t count) {
    int32_t target = data[0];
    for (int32_t i = 1; i < count; i++, state++) {
        int32_t move[3] = {data[i], data[i], target};
        int code = load_state(e, state, MOVES, move, 3);
        if (code) return code;
        target = state;
    }
    return 0;
}

/* Load a repetition behind some others that begin before it, or with it: around it or not. */
static int load_repetition(Engine *e, int32_t at, Repetition one) {
    int32_t before = at - 1;
    while (before >= 0 && REPETITION(before).end <= one.first) {
        int32_t up = REPETITION(before).up;
        before = up ? before - up : UNKNOWN;
    }
    if (before >= 0) {
        Repetition around = REPETITION(before);
        if (one.first < around.first || one.end > around.first + around.size) return INVALID;
        one.up = at - before;
    }
    int code = grow(e, &e->repetitions, 1);
    if (code) return code;
    Repetition *all = e->repetitions.data;
    memmove(all + at + 1, all + at, sizeof(Repetition) * (size_t)(e->repetitions.size++ - at));
    all[at] = one;
    return 0;
}

typedef struct { int32_t first, end, repetitions; } Rule;

static int is_within(Rule *rule, int32_t state) { return rule->first <= state && state < rule->end; }

/* Whether a record can be loaded: its states are those of the rule, and what it has is known. */
static int is_record(Rule *rule, int32_t kind, const int32_t *data, int32_t size) {
    if (kind == CALL) return size == 2 && data[0] >= 0 && is_within(rule, data[1]);
    if (kind < MOVES || kind > LITERAL || (kind == MOVES && size % 3) || (kind == LITERAL && !size))
        return 0;
    for (int32_t i = 0; i < size; i++) {
        int is_byte = kind == MOVES ? i % 3 < 2 : kind == LITERAL && i;
        if (is_byte ? data[i] < 0 || data[i] > 255 : !is_within(rule, data[i])) return 0;
    }
    return 1;
}

static int load_record(Engine *e, Rule *rule, const int32_t *record, int32_t size) {
    int32_t state = record[0], kind = record[1];
    const int32_t *data = record + 3;
    int64_t states = kind == LITERAL ? size - 1 : 1;
    if (kind == REPETITION && size == 5 && data[0] > 0 && data[1] > 0)
        states = (int64_t)data[0] * ((int64_t)data[1] + 1);
    if (state < rule->first || states > rule->end - state) return INVALID;
    if (kind == REPETITION && size == 5) {
        Repetition one = {state, (int32_t)(state + states), data[0], data[1], data[2], data[3], data[4], 0};
        int is_right = data[0] > 0 && data[1] > 0 && data[2] >= state && data[2] - state < data[0];
        if (!is_right || !is_within(rule, data[3])) return INVALID;
        return load_repetition(e, rule->repetitions++, one);
    }
    if (!is_record(rule, kind, data, size)) return INVALID;
    return kind == LITERAL ? load_literal(e, state, data, size) : load_state(e, state, kind, data, size);
}

/* Load a rule: where it starts, its states, from `first` on to before `end`, and its records. */
API int pdl_rule(Engine *e, int32_t number, int32_t start, int32_t first, int32_t end,
                 const int32_t *records, int32_t size) {
    if (number < 0 || first < 0 || start < first || start >= end) return INVALID;
    int code = numbered(e, number);
    if (code) return code;
    if (START(number) != UNKNOWN) return INVALID;
    Rule rule = {first, end, after_repetitions(e, first)};
    if (rule.repetitions < e->repetitions.size && REPETITION(rule.repetitions).first < end) return INVALID;
    code = paged(e, end);
    for (int32_t at = 0; at < size && !code;) {
        if (size - at < 3 || records[at + 2] < 0 || records[at + 2] > size - at - 3) return INVALID;
        code = load_record(e, &rule, records + at, records[at + 2]);
        at += 3 + records[at + 2];
    }
    if (!code) START(number) = start;
    return code;
}

API int64_t pdl_spent(const Engine *e) { return e->spent; }

API void pdl_free(Engine *e) {
    if (!e) return;
    Array *arrays[] = {&e->pages, &e->starts, &e->numbers, &e->repetitions, &e->frames, &e->configs, &e->items,
                       &e->rows, &e->pending, &e->found, &e->frame_table, &e->config_table, &e->seen};
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
API Engine *pdl_new(const Trie *trie, const uint8_t *kind, const int64_t *weight, Loader load,
                    int32_t limit, int64_t bound) {
    Engine *e = calloc(1, sizeof(Engine));
    if (!e) return NULL;
    e->trie = *trie;
    e->load = load;
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
    e->path = malloc(room);
    e->beside = malloc(room);
    if (!e->path || !e->beside || prepared(e)) {
        pdl_free(e);
        return NULL;
    }
    return e;
}
