/* The configurations of a text: sets of states with the stacks of those to return to.

A stack is a linked list, and there is one for the same states. There is one configuration for the
same set, too; 0 is the dead one. Where each class of bytes leads is filled in when it is needed
(lazy determinization). */

#include "kernel_network.h"

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

/* The row of a configuration, made if there is none: dead where no byte of a class may follow. */
static int32_t row_of(Engine *e, int32_t here) {
    if (CONFIG(here).row != UNKNOWN) return CONFIG(here).row;
    int code = grow(e, &e->rows, 1);
    if (code) return code;
    int32_t row = e->rows.size++;
    memset(ROW(row), 0, sizeof(int32_t) * (size_t)e->classes);
    for (int32_t i = 0; i < CONFIG(here).count; i++) {
        State state = STATE(ITEM(CONFIG(here).first + i).state);
        for (int32_t k = state.first; k < state.first + 3 * state.count; k += 3)
            for (int32_t kind = NUMBER(k); kind <= NUMBER(k + 1); kind++) ROW(row)[kind] = UNKNOWN;
    }
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
