/* JSON, read into a tree. Strings are cut out of the line, which changes. */
#ifndef JSON_H
#define JSON_H

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } Kind;

typedef struct Json {
    Kind kind;
    const char *key;          /* in an object */
    const char *text;         /* of a text */
    double number;            /* of a number */
    int count;                /* of the parts of a list or an object */
    struct Json *first, *next; /* its first part; the part behind it in the same list or object */
} Json;

Json *json_read(char *line);                      /* NULL if it is not JSON */
void json_free(void);                             /* forgets every tree */
const Json *json_get(const Json *object, const char *key); /* a JSON null if there is no such key */
const Json *json_at(const Json *list, int index);
int json_int(const Json *value);
int json_true(const Json *value);

#endif
