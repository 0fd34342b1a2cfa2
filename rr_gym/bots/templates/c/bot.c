/* A bot for RoboRally: it reads turns from its standard input, and writes orders to its standard output.
 *
 * It tries every program of its hand as if it were alone, and plays the one that ends nearest to its next flag. Improve
 * `cost`, which says how bad an end is, or look at "robots" in the view, where the others are. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* Tables. Directions are 0 to 3, clockwise from the north; x grows to the east, y to the south. */
static const char SIDES[] = "nesw", ARROWS[] = "^>v<";
static const int DX[] = {0, 1, 0, -1}, DY[] = {-1, 0, 1, 0};
static const char DEADLY[] = "XBKC"; /* items that may destroy a robot: pits, crushers, crumbling floors */
static const struct { const char *kind; int steps, quarters; } CARDS[] = {
    {"move_1", 1, 0}, {"move_2", 2, 0}, {"move_3", 3, 0}, {"back_up", -1, 0},
    {"rotate_right", 0, 1}, {"u_turn", 0, 2}, {"rotate_left", 0, 3}, {"none", 0, 0},
};
enum { KINDS = 8, FAR = 1000 };

typedef struct { int walls, safe, belt, speed, gear; } Square; /* walls: a bit for each side; belt: -1 for none */
typedef struct { int number, width, height; Square *squares; int *distances; int flag; } Course;

static Course *courses;
static int num_courses;

static Square read_square(const char *token) {
    Square square = {0, 1, -1, 0, 0};
    const char *sides = strchr(token, '/'), *end = sides ? sides : token + strlen(token);
    for (const char *side = sides; side && *side; side++)
        if (strchr(SIDES, *side)) square.walls |= 1 << (strchr(SIDES, *side) - SIDES);
    for (const char *item = token; item < end; item++) {
        if (item != token && item[-1] != '+') continue; /* only where an item begins */
        const char *arrow = strchr(ARROWS, *item);
        if (strchr(DEADLY, *item)) square.safe = 0;
        else if (arrow) { square.belt = (int)(arrow - ARROWS); square.speed = item[1] == item[0] ? 2 : 1; }
        else if ((*item == 'L' || *item == 'R') && (item + 1 == end || item[1] == '+')) square.gear = *item == 'R' ? 1 : 3;
    }
    return square;
}

static void read_course(const Json *message) {
    courses = realloc(courses, sizeof *courses * (size_t)(num_courses + 1));
    Course *course = &courses[num_courses++];
    course->number = json_int(json_get(message, "course"));
    course->width = json_int(json_at(json_get(message, "size"), 0));
    course->height = json_int(json_at(json_get(message, "size"), 1));
    course->flag = -1;
    size_t count = (size_t)(course->width * course->height), at = 0;
    course->squares = calloc(count, sizeof *course->squares);
    course->distances = calloc(count, sizeof *course->distances);
    for (const Json *row = json_get(message, "grid")->first; row; row = row->next)
        for (const Json *token = row->first; token; token = token->next)
            course->squares[at++] = read_square(token->kind == JSON_TEXT ? token->text : "X");
}

static int beside(const Course *course, int square, int side) {
    int x = square % course->width + DX[side], y = square / course->width + DY[side];
    return x < 0 || y < 0 || x >= course->width || y >= course->height ? -1 : y * course->width + x;
}

/* The square one step to a side: the same one before a wall, -1 where the robot is destroyed. */
static int step(const Course *course, int square, int side) {
    int there = beside(course, square, side);
    if (course->squares[square].walls >> side & 1) return square;
    if (there < 0) return -1;
    if (course->squares[there].walls >> (side + 2) % 4 & 1) return square;
    return course->squares[there].safe ? there : -1;
}

/* Moves a robot by a card, belts and gears; false where it is destroyed. Other robots are ignored. */
static int phase(const Course *course, int *square, int *facing, int card) {
    *facing = (*facing + CARDS[card].quarters) % 4;
    for (int i = 0; i < abs(CARDS[card].steps); i++)
        if ((*square = step(course, *square, (*facing + (CARDS[card].steps < 0 ? 2 : 0)) % 4)) < 0) return 0;
    for (int speed = 2; speed; speed--) { /* express belts move first, then all of them */
        const Square *on = &course->squares[*square];
        if (on->belt >= 0 && on->speed >= speed && (*square = step(course, *square, on->belt)) < 0) return 0;
    }
    *facing = (*facing + course->squares[*square].gear) % 4;
    return 1;
}

/* Computes how many steps each square is away from a flag. */
static void measure(Course *course, int flag) {
    int count = course->width * course->height, *queue = calloc((size_t)count, sizeof *queue), end = 0;
    for (int i = 0; i < count; i++) course->distances[i] = FAR;
    course->distances[queue[end++] = flag] = 0;
    for (int i = 0; i < end; i++)
        for (int side = 0; side < 4; side++) {
            int before = beside(course, queue[i], side);
            if (before < 0 || course->distances[before] < FAR || !course->squares[before].safe) continue;
            if (step(course, before, (side + 2) % 4) != queue[i]) continue;
            course->distances[before] = course->distances[queue[i]] + 1;
            queue[end++] = before;
        }
    free(queue);
    course->flag = flag;
}

/* The search: `left` has the unused cards of each kind, `locked` the kind in a locked register, -1 in an open one. */
static struct { Course *course; int flag, first_moves, left[KINDS], locked[5], cards[5]; } now;
static struct { double worth; int facing, count, cards[5]; } best;

static double cost(int square) { return now.course->distances[square]; } /* the lowest is best */

static void consider(double worth, int facing, int count) {
    if (worth >= best.worth) return;
    best.worth = worth;
    best.facing = facing;
    best.count = count;
    memcpy(best.cards, now.cards, sizeof best.cards);
}

static void search(int square, int looking, int facing, int register_) {
    if (register_ == 5) { consider(cost(square), facing, 5); return; }
    int alive = 0, locked = now.locked[register_];
    for (int card = 0; card < KINDS; card++) {
        if (locked >= 0 ? card != locked : !now.left[card]) continue;
        if (locked < 0 && register_ == 0 && now.first_moves && !CARDS[card].steps) continue;
        int there = square, after = looking;
        if (!phase(now.course, &there, &after, card)) continue;
        alive = 1;
        now.cards[register_] = card;
        if (locked < 0) now.left[card]--;
        if (there == now.flag) consider(-10 + register_, facing, register_ + 1); /* the rest is left to chance */
        else search(there, after, facing, register_ + 1);
        if (locked < 0) now.left[card]++;
    }
    if (!alive) consider(500 - register_, facing, register_);
}

static int kind_of(const char *card) {
    size_t length = strcspn(card, "@");
    for (int kind = 0; kind < KINDS; kind++)
        if (strlen(CARDS[kind].kind) == length && !strncmp(CARDS[kind].kind, card, length)) return kind;
    return KINDS - 1;
}

static void answer(const Json *turn) {
    const Json *legal = json_get(turn, "legal"), *view = json_get(turn, "view");
    const Json *own = json_at(json_get(view, "robots"), json_int(json_get(turn, "seat")));
    const Json *flags = json_get(view, "flags"), *place = json_get(own, "square"), *facings = json_get(legal, "facing");
    const Json *cards = json_get(legal, "cards"), *registers = json_get(own, "registers");
    int power_down = json_true(json_get(legal, "power_down")) && json_int(json_get(own, "damage")) >= 6;
    printf("{\"id\":%d,\"orders\":{\"power_down\":%s", json_int(json_get(turn, "id")), power_down ? "true" : "false");
    if (json_get(legal, "registers")->count && place->kind == JSON_LIST && flags->count) {
        int next = json_int(json_get(own, "flag"));
        const Json *flag = json_at(flags, next < flags->count ? next : flags->count - 1);
        memset(&now, 0, sizeof now);
        for (int i = 0; i < num_courses; i++)
            if (courses[i].number == json_int(json_get(turn, "course"))) now.course = &courses[i];
        int width = now.course->width, from = json_int(json_at(place, 1)) * width + json_int(json_at(place, 0));
        now.flag = json_int(json_at(flag, 1)) * width + json_int(json_at(flag, 0));
        now.first_moves = json_true(json_get(legal, "first_card_moves"));
        if (now.course->flag != now.flag) measure(now.course, now.flag);
        for (const Json *card = cards->first; card; card = card->next) now.left[kind_of(card->text)]++;
        for (int r = 0; r < 5; r++) {
            const Json *there = json_at(registers, r);
            now.locked[r] = there->kind == JSON_TEXT ? kind_of(there->text) : -1;
        }
        best.worth = 1e9;
        if (!facings->count) {
            int facing = (int)(strchr(SIDES, *json_get(own, "facing")->text) - SIDES);
            search(from, facing, facing, 0);
        }
        for (const Json *one = facings->first; one; one = one->next) {
            int facing = (int)(strchr(SIDES, *one->text) - SIDES);
            search(from, facing, facing, 0);
        }
        printf(",\"program\":[");
        for (int r = 0; r < 5; r++) {
            if (r < best.count && now.locked[r] < 0) printf("%s\"%s\"", r ? "," : "", CARDS[best.cards[r]].kind);
            else printf("%snull", r ? "," : "");
        }
        printf("]");
        if (facings->count) printf(",\"facing\":\"%c\"", SIDES[best.facing]);
    }
    printf("}}\n");
    fflush(stdout);
}

int main(void) {
    char *line = 0;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const Json *message = json_read(line);
        const char *type = message ? json_get(message, "type")->text : 0;
        if (type && !strcmp(type, "course")) read_course(message);
        else if (type && !strcmp(type, "turn")) answer(message);
        else if (type && !strcmp(type, "error")) fprintf(stderr, "%s\n", json_get(message, "message")->text);
        json_free();
    }
    free(line);
    return 0;
}
