#include "json.h"

#include <stdlib.h>
#include <string.h>

static const Json nothing = {JSON_NULL, 0, 0, 0, 0, 0, 0};

/* All nodes come from blocks that are used again for the next line. */
typedef struct Block { struct Block *next; int used; Json nodes[1024]; } Block;
static Block *blocks;

static Json *node(Kind kind) {
    Block *block = blocks;
    while (block && block->used == 1024) block = block->next;
    if (!block) {
        block = calloc(1, sizeof *block);
        if (!block) exit(1);
        block->next = blocks;
        blocks = block;
    }
    Json *made = &block->nodes[block->used++];
    memset(made, 0, sizeof *made);
    made->kind = kind;
    return made;
}

void json_free(void) {
    for (Block *block = blocks; block; block = block->next) block->used = 0;
}

static void skip(char **at) { while (**at && strchr(" \t\r\n", **at)) ++*at; }

static char *text(char **at) { /* escapes stay as they are, but for \" \\ \n and \/ */
    char *from = ++*at, *to = from;
    while (**at && **at != '"') {
        if (**at == '\\' && (*at)[1]) {
            ++*at;
            *to++ = **at == 'n' ? '\n' : **at;
        } else *to++ = **at;
        ++*at;
    }
    if (**at) ++*at;
    *to = 0;
    return from;
}

static Json *value(char **at) {
    skip(at);
    char open = **at;
    if (open == '"') { Json *made = node(JSON_TEXT); made->text = text(at); return made; }
    if (open == '[' || open == '{') {
        Json *made = node(open == '[' ? JSON_LIST : JSON_OBJECT), **last = &made->first;
        ++*at;
        for (;;) {
            skip(at);
            if (**at == ']' || **at == '}') { ++*at; return made; }
            const char *key = 0;
            if (open == '{') {
                if (**at != '"') return 0;
                key = text(at);
                skip(at);
                if (**at != ':') return 0;
                ++*at;
            }
            Json *part = value(at);
            if (!part) return 0;
            part->key = key;
            *last = part;
            last = &part->next;
            made->count++;
            skip(at);
            if (**at == ',') ++*at;
            else if (**at != ']' && **at != '}') return 0;
        }
    }
    if (!strncmp(*at, "null", 4)) { *at += 4; return node(JSON_NULL); }
    if (!strncmp(*at, "true", 4)) { *at += 4; return node(JSON_TRUE); }
    if (!strncmp(*at, "false", 5)) { *at += 5; return node(JSON_FALSE); }
    char *end;
    double number = strtod(*at, &end);
    if (end == *at) return 0;
    *at = end;
    Json *made = node(JSON_NUMBER);
    made->number = number;
    return made;
}

Json *json_read(char *line) { return value(&line); }

const Json *json_get(const Json *object, const char *key) {
    for (const Json *part = object->first; part; part = part->next)
        if (part->key && !strcmp(part->key, key)) return part;
    return &nothing;
}

const Json *json_at(const Json *list, int index) {
    for (const Json *part = list->first; part; part = part->next)
        if (index-- == 0) return part;
    return &nothing;
}

int json_int(const Json *value) { return (int)value->number; }
int json_true(const Json *value) { return value->kind == JSON_TRUE; }
