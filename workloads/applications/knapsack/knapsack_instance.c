#include "workloads/applications/knapsack/knapsack_instance.h"
#include "harness/measuring/random.h"
#include "workloads/applications/lines.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make_room(struct knapsack_instance *instance, size_t items) {
    instance->items = items;
    instance->profit = calloc(items, sizeof instance->profit[0]);
    instance->weight = calloc(items, sizeof instance->weight[0]);
    if (instance->profit && instance->weight)
        return 0;
    knapsack_free(instance);
    return ENOMEM;
}

/* The greatest number whose square is at most that. Whole numbers, so that an instance is the same everywhere. */
static uint64_t root_of(uint64_t square) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit /= 2)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

int knapsack_generate(struct knapsack_instance *instance, enum knapsack_class class, size_t items, uint64_t range,
                      unsigned percent, uint64_t seed) {
    uint64_t tenth = range / 10 > 0 ? range / 10 : 1, sum = 0;
    *instance = (struct knapsack_instance){0};
    if (make_room(instance, items) != 0)
        return ENOMEM;
    for (size_t i = 0; i < items; i++) {
        uint64_t weight = random_of(seed, 2 * i) % range + 1, draw = random_of(seed, 2 * i + 1);
        uint64_t profit = draw % range + 1;
        if (class == KNAPSACK_WEAKLY) {
            uint64_t raised = weight + draw % (2 * tenth + 1);
            profit = raised > tenth + 1 ? raised - tenth : 1;
        } else if (class == KNAPSACK_STRONGLY) {
            profit = weight + tenth;
        } else if (class == KNAPSACK_SUBSET_SUM) {
            profit = weight;
        } else if (class == KNAPSACK_INVERSE) {
            weight = profit + tenth;
        } else if (class == KNAPSACK_ALMOST) {
            profit = weight + tenth - range / 500 + draw % (range / 500 * 2 + 1);
        } else if (class == KNAPSACK_CIRCLE) {
            /* a point of an ellipse: two thirds of the root of 4 range^2 - (weight - 2 range)^2 */
            uint64_t squared = weight * (4 * range - weight);
            profit = root_of(squared / 9 * 4 + squared % 9 * 4 / 9);
        }
        instance->weight[i] = weight;
        instance->profit[i] = profit;
        sum += weight;
    }
    instance->capacity = sum / 100 * percent + sum % 100 * percent / 100;
    return 0;
}

int knapsack_example(struct knapsack_instance *instance) {
    static const uint64_t profits[] = {8, 5, 7, 6}, weights[] = {3, 2, 4, 6};
    *instance = (struct knapsack_instance){0};
    if (make_room(instance, 4) != 0)
        return ENOMEM;
    memcpy(instance->profit, profits, sizeof profits);
    memcpy(instance->weight, weights, sizeof weights);
    instance->capacity = 7;
    instance->stated = true;
    instance->stated_optimum = 15;
    return 0;
}

/* The line "KEY NUMBER" of the head; most: what the number may be at most. */
static bool head_number(struct lines *lines, const char *key, uint64_t max, uint64_t *number) {
    const char *at = lines->line + strlen(key);
    if (number_here(&at, max, number) && nothing_here(at))
        return true;
    lines_wrong(lines, "expected \"%s\" and a number from 0 to %llu, this is \"%.60s\"", key, (unsigned long long)max,
                lines->line);
    return false;
}

static bool begins_with(const char *line, const char *key) {
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && isblank((unsigned char)line[length]);
}

/* Up to the line with the capacity and those that may follow it; the first item's line is then the current one. */
static int read_head(struct lines *lines, struct knapsack_instance *instance) {
    uint64_t items = 0;
    bool capacity = false;
    while (lines_next(lines)) {
        if (begins_with(lines->line, "n")) {
            if (!head_number(lines, "n", KNAPSACK_ITEMS_MAX, &items))
                break;
            if (items == 0)
                return lines_wrong(lines, "no items: expected 1 to %d", KNAPSACK_ITEMS_MAX);
        } else if (begins_with(lines->line, "c")) {
            capacity = head_number(lines, "c", UINT64_MAX / 2, &instance->capacity);
            if (!capacity)
                break;
        } else if (begins_with(lines->line, "z")) {
            instance->stated = head_number(lines, "z", UINT64_MAX / 2, &instance->stated_optimum);
            if (!instance->stated)
                break;
        } else if (!begins_with(lines->line, "time")) {
            const char *at = lines->line;
            if (*at == '1' && (at[1] == ',' || isblank((unsigned char)at[1])))
                return items == 0  ? lines_wrong(lines, "items before the line \"n ITEMS\"")
                       : !capacity ? lines_wrong(lines, "items before the line \"c CAPACITY\"")
                                   : make_room(instance, (size_t)items);
            return lines_wrong(lines, "expected \"n\", \"c\", \"z\", \"time\" or the first item, this is \"%.60s\"",
                               at);
        }
    }
    if (lines->failure)
        return lines->failure;
    return lines_wrong(lines, "the file ends before the items: was it cut off?");
}

/* A field of an item's line, up to a comma, a blank or the end. */
static bool item_field(struct lines *lines, const char **at, const char *what, uint64_t max, uint64_t *number) {
    char *end;
    errno = 0;
    long long value = strtoll(*at, &end, 10);
    if (end == *at || (*end != ',' && *end != '\0' && !isblank((unsigned char)*end))) {
        lines_wrong(lines, "expected \"NUMBER,PROFIT,WEIGHT,X\", this is \"%.60s\"", lines->line);
        return false;
    }
    if (errno != 0 || value < 0 || (uint64_t)value > max) {
        lines_wrong(lines, "a %s of %.*s: expected 0 to %llu", what, (int)(end - *at), *at, (unsigned long long)max);
        return false;
    }
    while (isblank((unsigned char)*end))
        end++;
    *at = *end == ',' ? end + 1 : end;
    *number = (uint64_t)value;
    return true;
}

static int read_items(struct lines *lines, struct knapsack_instance *instance) {
    for (size_t i = 0; i < instance->items; i++) {
        const char *at = lines->line;
        uint64_t number, chosen;
        if (i > 0 && !lines_next(lines))
            return lines->failure ? lines->failure
                                  : lines_wrong(lines, "the file ends after %zu of %zu items: was it cut off?", i,
                                                instance->items);
        at = lines->line;
        if (!item_field(lines, &at, "number", KNAPSACK_ITEMS_MAX, &number) ||
            !item_field(lines, &at, "profit", KNAPSACK_VALUE_MAX, &instance->profit[i]) ||
            !item_field(lines, &at, "weight", KNAPSACK_VALUE_MAX, &instance->weight[i]))
            return lines->failure;
        if (!nothing_here(at) && !item_field(lines, &at, "choice", 1, &chosen))
            return lines->failure;
        if (number != i + 1)
            return lines_wrong(lines, "item %llu instead of item %zu", (unsigned long long)number, i + 1);
    }
    while (lines_next(lines))
        if (!nothing_here(lines->line))
            return *lines->line == '-' ? 0 : lines_wrong(lines, "expected \"-----\" after %zu items", instance->items);
    return lines->failure;
}

int knapsack_read(struct knapsack_instance *instance, const char *path, uint64_t number, char *message) {
    struct lines lines;
    *instance = (struct knapsack_instance){0};
    int failure = lines_open(&lines, path, message);
    for (uint64_t at = 1; failure == 0; at++) {
        bool named = lines_next(&lines);
        while (named && nothing_here(lines.line))
            named = lines_next(&lines);
        if (!named) {
            failure = lines.failure       ? lines.failure
                      : lines.number == 0 ? (lines.number = 1, lines_wrong(&lines, "the file is empty"))
                                          : lines_wrong(&lines, "there is no instance %llu, the file holds %llu",
                                                        (unsigned long long)number, (unsigned long long)(at - 1));
            break;
        }
        failure = read_head(&lines, instance);
        if (failure == 0)
            failure = read_items(&lines, instance);
        if (failure == 0 && at == number)
            break;
        knapsack_free(instance);
    }
    if (failure == ENOMEM)
        snprintf(message, KNAPSACK_MESSAGE, "%s: no memory for this instance", path);
    lines_close(&lines);
    return failure;
}

bool knapsack_dynamic(const struct knapsack_instance *instance, uint64_t *optimum) {
    uint64_t capacity = 0;
    for (size_t i = 0; i < instance->items; i++)
        capacity += instance->weight[i];
    if (instance->capacity < capacity)
        capacity = instance->capacity;
    if (capacity + 1 > KNAPSACK_DYNAMIC_MAX / instance->items)
        return false;
    uint64_t *best = calloc(capacity + 1, sizeof best[0]);
    if (!best)
        return false;
    for (size_t i = 0; i < instance->items; i++) {
        const uint64_t weight = instance->weight[i], profit = instance->profit[i];
        for (uint64_t room = capacity; weight <= capacity && room + 1 > weight; room--) {
            if (best[room - weight] + profit > best[room])
                best[room] = best[room - weight] + profit;
            if (room == 0)
                break;
        }
    }
    *optimum = best[capacity];
    free(best);
    return true;
}

void knapsack_free(struct knapsack_instance *instance) {
    free(instance->profit);
    free(instance->weight);
    *instance = (struct knapsack_instance){0};
}
