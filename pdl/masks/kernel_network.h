/* The states of a network, which the kernel gets as records of rules (`pdl.gbnf.edges`).

A rule is unknown until it is loaded. Of a repetition it has the first copy; the states of another
one are derived from that when they are needed (`pdl.gbnf.repetitions`). */

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
enum { LEAVES = 254, REFUSES = 255, FIRSTS = 24, WORK = 4000 };
enum { SEEN = 1 << 13, THINNED = 100, LINEAR = 12 };
enum { PAGE = 256, DEEPEST = 40, ALIKE = 16 };

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

typedef struct {
    Trie trie;
    int64_t spent, bound;
    int32_t limit, classes, wanted, stopped; /* the rule that is missing, and at which node */
    uint8_t kind[256];
    int32_t size[256], example[256]; /* of each class */
    int64_t weight[256];             /* nodes of the trie that begin with one of its bytes */
    uint8_t continues[256];
    Array pages, starts, numbers, repetitions, frames, configs, items, rows, pending, found;
    Array frame_table, config_table, seen;
    int32_t *path, *beside; /* configurations along a prefix */
} Engine;

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
        int is_kept = first.kind == MOVES ? i % 3 < 2 : first.kind == CALL ? !i : i && splits;
        NUMBER(e->numbers.size++) = is_kept ? held : in_copy(around, held, copy);
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

/* Where a rule starts. */
static int32_t entered(Engine *e, int32_t rule) {
    if (START(rule) != UNKNOWN) return START(rule);
    e->wanted = rule;
    return UNLOADED;
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

/* Load a repetition behind those that begin before it, or with it; some may be around it. */
static int load_repetition(Engine *e, int32_t at, Repetition one) {
    int32_t before = at - 1;
    if (before >= 0 && REPETITION(before).first > one.first) return INVALID;
    while (before >= 0 && REPETITION(before).end <= one.first) {
        int32_t up = REPETITION(before).up;
        before = up ? before - up : UNKNOWN;
    }
    if (before >= 0) {
        Repetition around = REPETITION(before);
        if (one.end > around.first + around.size) return INVALID;
        one.up = at - before;
    }
    int code = grow(e, &e->repetitions, 1);
    if (code) return code;
    Repetition *all = e->repetitions.data;
    memmove(all + at + 1, all + at, sizeof(Repetition) * (size_t)(e->repetitions.size++ - at));
    all[at] = one;
    return 0;
}

typedef struct { int32_t first, end, repetitions; } Rule; /* those before its own */

static int is_within(const Rule *rule, int32_t state) {
    return rule->first <= state && state < rule->end;
}

/* How many states a record has; 0 if it is none of a rule. */
static int64_t states_of(const Rule *rule, int32_t kind, const int32_t *data, int32_t size) {
    if (kind == MOVES) {
        for (int32_t i = 0; i + 2 < size; i += 3) {
            int is_range = data[i] >= 0 && data[i] <= data[i + 1] && data[i + 1] <= 255;
            if (!is_range || !is_within(rule, data[i + 2])) return 0;
        }
        return size % 3 == 0;
    }
    if (kind == SPLIT) {
        for (int32_t i = 0; i < size; i++)
            if (!is_within(rule, data[i])) return 0;
        return 1;
    }
    if (kind == CALL) return size == 2 && data[0] >= 0 && is_within(rule, data[1]);
    if (kind == LITERAL) {
        for (int32_t i = 1; i < size; i++)
            if (data[i] < 0 || data[i] > 255) return 0;
        return size && is_within(rule, data[0]) ? size - 1 : 0;
    }
    if (kind == REPETITION) {
        int is_right = size == 5 && data[0] > 0 && data[1] > 0 && is_within(rule, data[3]);
        return is_right ? data[0] * ((int64_t)data[1] + 1) : 0;
    }
    return kind == END;
}

static int load_record(Engine *e, Rule *rule, const int32_t *record, int32_t size) {
    int32_t state = record[0], kind = record[1];
    const int32_t *data = record + 3;
    int64_t states = states_of(rule, kind, data, size);
    if (!states || state < rule->first || states > rule->end - (int64_t)state) return INVALID;
    if (kind == LITERAL) return load_literal(e, state, data, size);
    if (kind != REPETITION) return load_state(e, state, kind, data, size);
    if (data[2] < state || data[2] >= state + data[0]) return INVALID;
    int32_t end = state + (int32_t)states;
    Repetition one = {state, end, data[0], data[1], data[2], data[3], data[4], 0};
    return load_repetition(e, rule->repetitions++, one);
}

/* Load a rule if it is not loaded: where it starts; its states, from `first` on to before `end`;
and its records. */
API int pdl_rule(Engine *e, int32_t number, int32_t start, int32_t first, int32_t end,
                 const int32_t *records, int32_t size) {
    if (number < 0 || first < 0 || start < first || start >= end) return INVALID;
    Rule rule = {first, end, after_repetitions(e, first)};
    int code = numbered(e, number);
    if (!code && START(number) != UNKNOWN) return START(number) == start ? 0 : INVALID;
    if (after_repetitions(e, end - 1) > rule.repetitions) return INVALID; /* those of others */
    if (!code) code = paged(e, end);
    for (int32_t at = 0; at < size && !code;) {
        if (size - at < 3 || records[at + 2] < 0 || records[at + 2] > size - at - 3) return INVALID;
        code = load_record(e, &rule, records + at, records[at + 2]);
        at += 3 + records[at + 2];
    }
    if (!code) START(number) = start;
    return code;
}
