/* Main loop of a firmware in C with one key. The board provides the functions below. */
#include "touchback_device.h"

extern uint32_t board_micros(void); /* time, us, modulo 2^32 */
extern int32_t board_count(void); /* count of an incremental encoder, positive down, from wherever the key stood */
extern void board_newtons(float newtons); /* force against downward motion */
extern void board_enable(int is_on); /* the amplifier's enable line; off without firmware */
extern void board_feed_watchdog(void); /* a hardware watchdog of at most 20 ms */
extern int board_driver_fault(void); /* not 0 while the amplifier reports a fault */
extern int board_supply(void); /* not 0 while the motor's supply is there (switch at hand) */
extern int board_reset_cause(void); /* 1 power-up, 2 reset input, 3 watchdog, 4 brown-out, 5 software */
extern int board_receive(void); /* a received byte, or -1; an overrun must not end reception */
extern int board_send(uint8_t byte); /* 0 where there is no room */

/* Length of a tick, us, and the largest number of bytes received between two readings of the clock, so
 * that a busy wire delays no tick. */
enum { TICK = 125, AT_ONCE = 16 };

static _Alignas(8) uint8_t memory[32 * 1024];
static touchback_facts facts[TOUCHBACK_KEYS];
static int32_t counts[TOUCHBACK_KEYS];
static float newtons[TOUCHBACK_KEYS];
static uint8_t frame[TOUCHBACK_FRAME];
/* An absolute sensor, or one with an index pulse, needs no search for its zero. */
static touchback_homing homing;

void firmware(void) {
    touchback_build build = {
        .keys = 1, .first_key = 40, .state_keys = 1, .abilities = 1 | 2 | 16,
        .rate_hz = 1000000 / TICK, .report_us = 1000, .force_max = 1500, .force_held = 500,
        .step_nm = 2000, .timeout_us = 20000, .slew = 40000.0f, .thermal_time = 2.0f,
        .guard = 0.01f, .name = "a key in C", .firmware = {0, 2, 0},
    };
    build.reset_cause = (uint8_t)board_reset_cause();
    facts[0].mass = 450;
    facts[0].bed = 1000;
    uint32_t next = board_micros() + TICK;
    touchback_device *device = touchback_new(memory, sizeof memory, &build, facts, next);
    size_t length = 0, sent = 0;
    uint32_t read = next;
    touchback_home(&homing, board_count(), build.step_nm);
    while (device) {
        for (int i = 0; i < AT_ONCE; i++) {
            int byte = board_receive();
            if (byte < 0) break;
            touchback_receive(device, (uint8_t)byte);
        }
        while (sent < length && board_send(frame[sent])) sent++;
        if (sent == length) {
            sent = 0;
            length = touchback_report(device, frame);
        }
        uint32_t now = board_micros();
        if ((int32_t)(now - next) < 0) continue;
        next += TICK;
        /* After a pause the missed ticks are skipped. */
        if ((int32_t)(now - next) >= 0) next = now + TICK;
        counts[0] = touchback_homed_count(&homing, board_count(), now - read);
        read = now;
        touchback_hardware(device, (board_supply() ? 0 : 1024) | (board_driver_fault() ? 2048 : 0) |
                                       (touchback_is_homed(&homing) ? 0 : 32768));
        touchback_tick(device, now, counts, newtons);
        uint8_t mode = touchback_mode(device);
        int is_on = mode >= 2 && mode <= 4; /* live, fading, damping */
        board_newtons(is_on ? newtons[0] : 0.0f);
        board_enable(is_on);
        board_feed_watchdog();
    }
    board_enable(0);
}
