#define _GNU_SOURCE
#include "game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char SIDES[] = "nesw";
const char *const CARD_KINDS[KINDS] = {
    "move_1", "move_2", "move_3", "back_up", "rotate_right", "u_turn", "rotate_left", "none",
};

typedef struct Line { struct Line *next; char *text; } Line;
typedef struct Game { struct Game *next; char *name; int course, seat; } Game;

static Course *courses;
static int num_courses;
static Game *games;
static Line *later;  /* lines that came while the bot waited for a preview, the oldest first */
static Line *parsed; /* lines of which the trees are in use */

static char *copy_of(const char *text) {
    char *copy = strdup(text);
    if (!copy) exit(1);
    return copy;
}

static void append(Line **list, char *text) {
    while (*list) list = &(*list)->next;
    *list = calloc(1, sizeof **list);
    if (!*list) exit(1);
    (*list)->text = text;
}

static char *read_line(void) { /* NULL at the end of the input */
    char *line = 0;
    size_t size = 0;
    if (getline(&line, &size, stdin) > 0) return line;
    free(line);
    return 0;
}

static int *read_ints(const Json *list, int count) {
    int *numbers = calloc((size_t)count, sizeof *numbers), at = 0;
    for (const Json *one = list->first; one && at < count; one = one->next) numbers[at++] = json_int(one);
    return numbers;
}

static void read_course(const Json *message) {
    courses = realloc(courses, sizeof *courses * (size_t)(num_courses + 1));
    Course *course = &courses[num_courses++];
    const Json *tables = json_get(message, "tables"), *steps = json_get(tables, "steps");
    int width = json_int(json_at(json_get(message, "size"), 0)), at = 0;
    course->number = json_int(json_get(message, "course"));
    course->states = json_get(json_at(steps, 0), CARD_KINDS[0])->count;
    course->num_flags = json_get(message, "flags")->count;
    course->flags = calloc((size_t)course->num_flags + 1, sizeof *course->flags);
    for (const Json *flag = json_get(message, "flags")->first; flag; flag = flag->next)
        course->flags[at++] = json_int(json_at(flag, 1)) * width + json_int(json_at(flag, 0));
    for (int phase = 0; phase < REGISTERS; phase++) {
        const Json *table = json_at(steps, json_int(json_at(json_get(tables, "steps_of_phase"), phase)));
        for (int kind = 0; kind < KINDS; kind++)
            course->steps[phase][kind] = read_ints(json_get(table, CARD_KINDS[kind]), course->states);
    }
    course->turns_to_go = calloc((size_t)(course->num_flags * (course->states + 1)) + 1, sizeof(double));
    at = 0;
    for (const Json *row = json_get(tables, "turns_to_go")->first; row; row = row->next)
        for (const Json *turns = row->first; turns; turns = turns->next) course->turns_to_go[at++] = turns->number;
}

static void read_game(const Json *message) {
    Game *game = calloc(1, sizeof *game);
    if (!game) exit(1);
    game->next = games;
    game->name = copy_of(json_get(message, "game")->text);
    game->course = json_int(json_get(message, "course"));
    game->seat = json_int(json_get(message, "seat"));
    games = game;
}

static void end_game(const Json *message) {
    for (Game **at = &games; *at; at = &(*at)->next)
        if (!strcmp((*at)->name, json_get(message, "game")->text)) {
            Game *gone = *at;
            *at = gone->next;
            free(gone->name);
            free(gone);
            return;
        }
}

static void answer(const Json *message, void (*decide)(const Turn *turn)) {
    const char *name = json_get(message, "game")->text;
    Turn turn = {message, json_get(message, "legal"), json_get(message, "view"), 0, 0, 0, NOWHERE};
    for (const Game *game = games; game; game = game->next) {
        if (strcmp(game->name, name)) continue;
        turn.robot = json_at(json_get(turn.view, "robots"), game->seat);
        for (int i = 0; i < num_courses; i++)
            if (courses[i].number == game->course) turn.course = &courses[i];
    }
    turn.id = json_int(json_get(message, "id"));
    const Json *state = json_get(message, "state");
    if (state->kind == JSON_NUMBER) turn.state = json_int(state);
    decide(&turn);
}

double turns_to_go(const Course *course, int state, int flag) {
    return flag < course->num_flags ? course->turns_to_go[flag * (course->states + 1) + state] : 0;
}

int kind_of(const char *card) {
    size_t length = strcspn(card, "@");
    for (int kind = 0; kind < KINDS; kind++)
        if (strlen(CARD_KINDS[kind]) == length && !strncmp(CARD_KINDS[kind], card, length)) return kind;
    return NO_CARD;
}

const Json *preview(const Turn *turn, const char *orders) {
    printf("{\"id\":%d,\"preview\":%s}\n", turn->id, orders);
    fflush(stdout);
    for (char *line; (line = read_line());) {
        char *copy = copy_of(line); /* reading changes the line */
        const Json *message = json_read(copy);
        append(&parsed, copy);
        const char *type = message ? json_get(message, "type")->text : 0;
        int mine = type && json_get(message, "id")->kind == JSON_NUMBER && json_int(json_get(message, "id")) == turn->id;
        if (mine && !strcmp(type, "preview")) {
            free(line);
            return json_get(message, "results");
        }
        append(&later, line);
        if (mine && !strcmp(type, "error")) break;
    }
    return json_get(turn->message, "nothing"); /* the time is up, or the input has ended */
}

void play(void (*decide)(const Turn *turn)) {
    for (;;) {
        char *line;
        if (later) {
            Line *first = later;
            line = first->text;
            later = first->next;
            free(first);
        } else if (!(line = read_line())) return;
        const Json *message = json_read(line);
        const char *type = message ? json_get(message, "type")->text : 0;
        if (type && !strcmp(type, "course")) read_course(message);
        else if (type && !strcmp(type, "game")) read_game(message);
        else if (type && !strcmp(type, "end")) end_game(message);
        else if (type && !strcmp(type, "error")) fprintf(stderr, "%s\n", json_get(message, "message")->text);
        else if (type && !strcmp(type, "turn")) {
            answer(message, decide);
            fflush(stdout);
        }
        json_free();
        free(line);
        while (parsed) {
            Line *first = parsed;
            parsed = first->next;
            free(first->text);
            free(first);
        }
    }
}
