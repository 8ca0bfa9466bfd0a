/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of join tokens: their rights, their holders, and how sessions end with them.
 */
#include "scenario.h"
#include "server/session/tenants.h"

#define LIST_ROOMS(peer, want) SEND(peer, want, LIST_ROOMS, .list_rooms = {0})
#define REVOKED                "go away: revoked within 1000; end"

#define SECRET "0123456789abcdef0123456789abcdef"

/* The tokens of the cases: what peers present, by these names. */
enum { OF_A, OF_A_LATER, OF_A_READER, OF_B, OF_READER_KEY, JOIN_TOKENS };
static char join_tokens[JOIN_TOKENS][QD_TOKEN_BYTES_MAX + 1];

static void mint(const sim_house *house, uint32_t which, uint64_t expires_in_s, qd_join_claims claims)
{
    char error[200];

    claims.expires_s = sim_wall_s((void *)(uintptr_t)&house->world) + expires_in_s;
    sim_check(qd_join_token_mint(&claims, SECRET, join_tokens[which], error, sizeof error), "%s", error);
}

static qd_grant keys[] = {{.token = "key:k1", .role = QD_ROLE_WRITER, .patterns = "room* sec*", .secret = SECRET},
                          {.token = "key:k2", .role = QD_ROLE_READER, .patterns = "", .secret = SECRET},
                          {.token = "plain", .role = QD_ROLE_WRITER, .patterns = ""}};

static void set_keys(sim_scenario *play)
{
    mint(play->house, OF_A, 10, (qd_join_claims){.key = "k1", .name = "a", .role = QD_ROLE_WRITER, .patterns = "*o*"});
    mint(play->house, OF_A_LATER, 60,
         (qd_join_claims){.key = "k1", .name = "a", .role = QD_ROLE_WRITER, .patterns = "*o*"});
    mint(play->house, OF_A_READER, 60,
         (qd_join_claims){.key = "k1", .name = "a", .role = QD_ROLE_READER, .patterns = "*o*"});
    mint(play->house, OF_B, 20, (qd_join_claims){.key = "k1", .name = "b", .role = QD_ROLE_WRITER, .patterns = ""});
    mint(play->house, OF_READER_KEY, 20,
         (qd_join_claims){.key = "k2", .name = "a", .role = QD_ROLE_WRITER, .patterns = ""});
    sim_house_tokens(play->house, keys, 3);
}

#define REFUSED_HELLO(peer, what, presented)                                                                           \
    CONNECT(peer),                                                                                                     \
        SEND(peer, "error UNAUTHENTICATED: " what "; go away: protocol within 1000; end", HELLO,                       \
             .hello = {.version = 1, .token = (presented)}),                                                           \
        CLOSE(peer)

SCENARIO(join_token_is_for_rooms_of_its_own_and_its_keys_patterns) = {
    CALL(set_keys),
    OPEN(A, join_tokens[OF_A]),
    OPEN(B, join_tokens[OF_B]),
    OPEN(C, "plain"),
    ROOM(C, 0),
    ROOM(C, 1),
    ROOM(C, 2),
    LIST_ROOMS(A, "rooms room second"),
    LIST_ROOMS(B, "rooms room second"),
    LIST_ROOMS(C, "rooms room second third"),
    SEND(A, "error NOT_ALLOWED: this session's token is not for rooms of this name", OPEN_ROOM,
         .open_room.name = "third"),
    REFUSED_HELLO(D, "must be at most reader", join_tokens[OF_READER_KEY]),
    /* A key is no token. */
    REFUSED_HELLO(D, "the token is unknown", "key:k1"),
    REFUSED_HELLO(D, "the token is unknown", SECRET),
};

/* The holder of a room is the name of the token, not the token. */
SCENARIO(tokens_of_one_name_are_one_holder, CONFIG(.tick_mode = QD_TICK_MODE_STEP, .join = QD_ACCESS_SAME_TOKEN)) = {
    CALL(set_keys),
    OPEN(A, join_tokens[OF_A]),
    ROOM(A, 0),
    OPEN(B, join_tokens[OF_B]),
    SEND(B, "error NOT_ALLOWED: the room's join is ACCESS_SAME_TOKEN", OPEN_ROOM, .open_room.name = "room"),
    OPEN(C, join_tokens[OF_A_LATER]),
    SEND(C, "opened", OPEN_ROOM, .open_room.name = "room"),
    CLOSE_ROOM(C, "closed: requested"),
};

SCENARIO(sessions_end_when_their_tokens_expire) = {
    CALL(set_keys),
    JOIN(A, join_tokens[OF_A]),
    RESUMABLE(B, join_tokens[OF_A], "welcome 2 new key for 10000"),
    REJOIN(B, "opened"),
    OPEN(C, "plain"),
    CLOSE(B),
    PASS(8000),
    LOOK(A, ""),
    WORLD("sessions 2; detached 1"),
    PASS(3000),
    LOOK(A, REVOKED),
    LOOK(C, ""),
    CLOSE(A),
    WORLD("sessions 1; detached 0"),
    REFUSED_HELLO(D, "the token expired at", join_tokens[OF_A]),
    RESUME(D, B, join_tokens[OF_A_LATER], "welcome 5 new key for 10000"),
};

/* A clock that is set forward ends the sessions at once, not after their time. */
static void set_clock(sim_scenario *play)
{
    play->house->world.wall_ahead_s = 3600;
}

static void reset_clock(sim_scenario *play)
{
    play->house->world.wall_ahead_s = 0;
}

SCENARIO(sessions_end_when_the_clock_is_set_past_their_expiry) = {
    CALL(set_keys),
    OPEN(A, join_tokens[OF_A_LATER]),
    RESUMABLE(B, join_tokens[OF_B], "welcome 2 new key for 10000"),
    ROOM(B, 0),
    CLOSE(B),
    CALL(set_clock),
    PASS(1001),
    LOOK(A, REVOKED),
    WORLD("detached 0"),
    CALL(reset_clock),
};

SCENARIO(renewed_token_resumes_if_it_allows_the_same) = {
    CALL(set_keys),
    RESUMABLE(A, join_tokens[OF_A], "welcome 1 new key for 10000"),
    ROOM(A, 0),
    CLOSE(A),
    /* Rights in rooms are kept, so a reader would get those of a writer. */
    RESUME(B, A, join_tokens[OF_A_READER], "welcome 2 new key for 10000"),
    RESUME(C, A, join_tokens[OF_A_LATER], "welcome 1 same key for 10000 resumed last 2"),
    /* The time of the new token holds. */
    PASS(12000),
    LOOK(C, ""),
    PASS(50000),
    LOOK(C, REVOKED),
};

static void remove_key(sim_scenario *play)
{
    static qd_tokens rest;

    rest = (qd_tokens){.references = 1, .grants = &keys[1], .count = 2};
    (void)qd_sessions_reload(&play->house->server.sessions, &rest);
}

SCENARIO(sessions_end_when_their_key_is_removed) = {
    CALL(set_keys),
    OPEN(A, join_tokens[OF_A]),
    RESUMABLE(B, join_tokens[OF_B], "welcome 2 new key for 10000"),
    ROOM(B, 0),
    CLOSE(B),
    OPEN(C, "plain"),
    WORLD("detached 1"),
    CALL(remove_key),
    PASS(1),
    LOOK(A, REVOKED),
    LOOK(C, ""),
    WORLD("sessions 1; detached 0"),
    REFUSED_HELLO(D, "the token is unknown", join_tokens[OF_A]),
};

static void limit_rooms(sim_scenario *play)
{
    play->house->server.service.accounts.quotas.tenant[QD_QUOTA_CREATED] = 1;
}

/* More names, minted with the same key, bring no more quota. */
SCENARIO(tokens_of_a_key_share_its_quotas) = {
    CALL(set_keys),
    CALL(limit_rooms),
    OPEN(A, join_tokens[OF_A]),
    ROOM(A, 0),
    OPEN(B, join_tokens[OF_B]),
    SEND(B, "error QUOTA_TOKEN", OPEN_ROOM,
         .open_room = {.name = "second",
                       .has_config = true,
                       .config = {.has_bounds = true, .bounds = {0, 0, 0, 1, 1, 0}}}),
    OPEN(C, "plain"),
    ROOM(C, 2),
};
