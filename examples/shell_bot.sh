#!/bin/sh
# A bot for RoboRally in POSIX sh and awk: it reads turns from stdin and writes orders to stdout.
#
# In every register it takes the card that brings it nearest to the next flag, as if the board were an empty floor.
# Run it with: rr-gym race --players "program:sh examples/shell_bot.sh",greedy

bot='
# Reads the JSON value at position p of s into v, under the names of its parts: v["view.size.0"].
function read_value(name,    mark, count, key) {
    mark = substr(s, p, 1)
    if (mark == "{" || mark == "[") {
        count = 0
        p++
        while (substr(s, p, 1) !~ /[]}]/) {
            if (mark == "{") {
                key = read_word()
                p++
            } else {
                key = count
            }
            read_value(name == "" ? key : name "." key)
            count++
            if (substr(s, p, 1) == ",") p++
        }
        p++
        v[name ".count"] = count
    } else {
        v[name] = read_word()
    }
}

# A string without its quotes, a number, true, false or null.
function read_word(    word) {
    if (substr(s, p, 1) == "\"") {
        match(substr(s, p), /^"([^"\\]|\\.)*"/)
        word = substr(s, p + 1, RLENGTH - 2)
    } else {
        match(substr(s, p), /^[^],}]*/)
        word = substr(s, p, RLENGTH)
    }
    p += RLENGTH
    return word
}

function abs(n) {
    return n < 0 ? -n : n
}

# How far the flag is from x, y with this facing: squares, and a little more if it lies behind the robot.
function cost(x, y, facing,    ahead) {
    if (x < 0 || y < 0 || x >= v["view.size.0"] || y >= v["view.size.1"]) return 1000
    ahead = (flag_x - x) * dx[facing] + (flag_y - y) * dy[facing]
    return abs(flag_x - x) + abs(flag_y - y) + (ahead > 0 ? 0 : 0.5)
}

BEGIN {
    split("0 1 0 -1", dx, " ")
    split("-1 0 1 0", dy, " ")
    turn["rotate_right"] = 1; turn["u_turn"] = 2; turn["rotate_left"] = 3
    step["move_1"] = 1; step["move_2"] = 2; step["move_3"] = 3; step["back_up"] = -1
}

{
    s = $0
    p = 1
    read_value("")
    own = "view.robots." v["seat"] "."
    x = v[own "square.0"]
    y = v[own "square.1"]
    facing = index("nesw", v[own "facing"])
    goal = v[own "flag"] < v["view.flags.count"] ? v[own "flag"] : v["view.flags.count"] - 1
    flag_x = v["view.flags." goal ".0"]
    flag_y = v["view.flags." goal ".1"]
    open = " "
    for (i = 0; i < v["legal.registers.count"]; i++) open = open v["legal.registers." i] " "

    program = ""
    for (register = 1; register <= 5; register++) {
        card = v[own "registers." register - 1]
        slot = -1
        if (index(open, " " register " ")) {
            least = 10000
            for (i = 0; i < v["legal.cards.count"]; i++) {
                if (used[i]) continue
                kind = v["legal.cards." i]
                sub(/@.*/, "", kind)
                if (register == 1 && v["legal.first_card_moves"] == "true" && !(kind in step)) continue
                towards = (facing - 1 + turn[kind]) % 4 + 1
                now = cost(x + step[kind] * dx[facing], y + step[kind] * dy[facing], towards)
                if (now < least) { least = now; slot = i }
            }
        }
        if (slot >= 0) {
            used[slot] = 1
            card = v["legal.cards." slot]
            program = program ",\"" card "\""
        } else {
            program = program ",null"
        }
        kind = card
        sub(/@.*/, "", kind)
        x += step[kind] * dx[facing]
        y += step[kind] * dy[facing]
        facing = (facing - 1 + turn[kind]) % 4 + 1
    }
    printf "{\"id\":%s,\"orders\":{\"program\":[%s]}}\n", v["id"], substr(program, 2)
}
'

while IFS= read -r line; do
    case $line in
        '{"type":"turn"'*) printf '%s\n' "$line" | awk "$bot" ;;
        '{"type":"error"'*) printf '%s\n' "$line" >&2 ;;
    esac
done
