/* The conversation with the game: what it says, and what a bot may ask. */
#ifndef GAME_H
#define GAME_H

#include "json.h"

/* A state is where a robot stands and faces: 4 * (width * y + x) + its facing, 0 to 3 clockwise from the north. */
enum { NOWHERE = -1, KINDS = 8, NO_CARD = 7, REGISTERS = 5 };

extern const char SIDES[]; /* "nesw" */
extern const char *const CARD_KINDS[KINDS];

/* The tables of a course, which know all walls, belts, pits and other elements. */
typedef struct {
    int number, states, num_flags, *flags;
    int *steps[REGISTERS][KINDS]; /* the state of a robot alone after a card in a phase; NOWHERE if it is destroyed */
    double *turns_to_go;          /* by flags touched and state: turns that a robot alone needs to the last flag */
} Course;

/* A turn in which the bot is asked for its orders: `message` has all that is known (docs/protocol.md). */
typedef struct {
    const Json *message, *legal, *view, *robot;
    const Course *course;
    int id, state; /* its state is NOWHERE while it is off the board */
} Turn;

double turns_to_go(const Course *course, int state, int flag);
int kind_of(const char *card); /* "move_1@490" is of kind "move_1" */

/* Asks the game where several orders lead, if nobody else were on the board. It costs time of this turn. `orders` is a
 * list in JSON; the answers are {"phases": [...], "end": {...}}, or {"error": ...} for orders that are not legal. There
 * are none if the time is up. */
const Json *preview(const Turn *turn, const char *orders);

/* Plays: `decide` is called with every turn, and prints the answer, {"id": ..., "orders": {...}}, as one line. */
void play(void (*decide)(const Turn *turn));

#endif
