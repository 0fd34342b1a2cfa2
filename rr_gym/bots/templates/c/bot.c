/* A bot for RoboRally. It plays as if it were alone: towards where the last flag is the fewest turns away.
 *
 * It tries every program of its hand on the tables of the course, asks the game where the best ones really lead, with
 * all options and damage, and takes the best of these. Improve `value`, which says how bad an end is, or look at
 * "robots" in turn->view, where the others are. */
#include <stdio.h>
#include <string.h>

#include "game.h"

enum { PREVIEWS = 12, MOVES = 4 }; /* programs that the game is asked about; kinds of cards that move */

typedef struct { double worth; int facing, cards[REGISTERS]; } Program; /* the kinds of its cards, -1 in locked registers */

static Program best[PREVIEWS]; /* the best first */
static int num_best;

/* The search: `left` has the unused cards of each kind, `locked` the kind in a locked register, -1 in an open one. */
static struct {
    const Course *course;
    int first_moves, damage, left[KINDS], locked[REGISTERS], cards[REGISTERS];
} now;

/* How bad it is to end a turn in a state with so many flags and points of damage; the least is best. */
static double value(const Course *course, int state, int flag, int damage) {
    return state == NOWHERE ? 100 - flag : turns_to_go(course, state, flag) + damage / 4.0;
}

static void consider(double worth, int facing) {
    if (num_best == PREVIEWS && worth >= best[PREVIEWS - 1].worth) return;
    int at = num_best < PREVIEWS ? num_best++ : PREVIEWS - 1;
    for (; at && best[at - 1].worth > worth; at--) best[at] = best[at - 1];
    best[at].worth = worth;
    best[at].facing = facing;
    memcpy(best[at].cards, now.cards, sizeof now.cards);
}

static void search(int state, int flag, int facing, int at) {
    if (at == REGISTERS) {
        consider(value(now.course, state, flag, now.damage), facing);
        return;
    }
    int locked = now.locked[at];
    for (int card = 0; card < KINDS; card++) {
        if (locked >= 0 ? card != locked : !now.left[card]) continue;
        if (locked < 0 && at == 0 && now.first_moves && card >= MOVES) continue;
        int after = state == NOWHERE ? NOWHERE : now.course->steps[at][card][state], reached = flag;
        /* A flag that a program stops on is touched, and the next one counts. */
        if (after != NOWHERE && flag < now.course->num_flags && after / 4 == now.course->flags[flag]) reached++;
        now.cards[at] = locked < 0 ? card : -1;
        now.left[card] -= locked < 0;
        search(after, reached, facing, at + 1);
        now.left[card] += locked < 0;
    }
}

static int write_orders(char *to, int power_down, const Program *chosen, int choose_facing) {
    int length = sprintf(to, "{\"power_down\":%s", power_down ? "true" : "false");
    for (int r = 0; chosen && r < REGISTERS; r++) {
        length += sprintf(to + length, r ? "," : ",\"program\":[");
        if (chosen->cards[r] < 0) length += sprintf(to + length, "null");
        else length += sprintf(to + length, "\"%s\"", CARD_KINDS[chosen->cards[r]]);
    }
    if (chosen) length += sprintf(to + length, "]");
    if (chosen && choose_facing) length += sprintf(to + length, ",\"facing\":\"%c\"", SIDES[chosen->facing]);
    return length + sprintf(to + length, "}");
}

static void decide(const Turn *turn) {
    static char orders[PREVIEWS * 256];
    const Json *program = json_get(turn->legal, "program"), *registers = json_get(turn->robot, "registers");
    const Json *facings = json_get(json_get(turn->legal, "facing"), "values");
    int flag = json_int(json_get(turn->robot, "flag"));
    const Program *chosen = 0;
    memset(&now, 0, sizeof now);
    num_best = 0;
    now.course = turn->course;
    now.damage = json_int(json_get(turn->robot, "damage"));
    now.first_moves = json_true(json_get(program, "first_card_moves"));
    int power_down = now.damage >= 6 && json_get(turn->legal, "power_down")->kind == JSON_OBJECT;
    if (json_get(program, "registers")->count && turn->state != NOWHERE) {
        for (const Json *card = json_get(program, "cards")->first; card; card = card->next) now.left[kind_of(card->text)]++;
        for (int r = 0; r < REGISTERS; r++) {
            const Json *there = json_at(registers, r);
            now.locked[r] = there->kind == JSON_TEXT ? kind_of(there->text) : -1;
        }
        if (!facings->count) search(turn->state, flag, turn->state % 4, 0);
        for (const Json *one = facings->first; one; one = one->next) {
            if (one->kind != JSON_TEXT) continue; /* null keeps the present facing */
            int facing = (int)(strchr(SIDES, *one->text) - SIDES);
            search(turn->state - turn->state % 4 + facing, flag, facing, 0);
        }
    }
    if (num_best) {
        int length = 0, number = 0;
        double least = 1e9;
        for (int i = 0; i < num_best; i++) {
            orders[length++] = i ? ',' : '[';
            length += write_orders(orders + length, power_down, &best[i], facings->count);
        }
        sprintf(orders + length, "]");
        chosen = &best[0];
        for (const Json *one = preview(turn, orders)->first; one; one = one->next, number++) {
            const Json *end = json_get(one, "end"), *state = json_get(end, "state");
            if (end->kind != JSON_OBJECT || number >= num_best) continue;
            double worth = value(turn->course, state->kind == JSON_NUMBER ? json_int(state) : NOWHERE,
                                 json_int(json_get(end, "flag")), json_int(json_get(end, "damage")));
            if (worth < least) {
                least = worth;
                chosen = &best[number];
            }
        }
    }
    write_orders(orders, power_down, chosen, facings->count);
    printf("{\"id\":%d,\"orders\":%s}\n", turn->id, orders);
}

int main(void) {
    play(decide);
    return 0;
}
