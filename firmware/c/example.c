/* Main loop of a firmware in C with one key. The board provides the five functions below. */
#include "touchback_device.h"

extern uint32_t board_micros(void); /* time, us, modulo 2^32 */
extern int32_t board_count(void); /* sensor count, positive down */
extern void board_newtons(float newtons); /* force against downward motion */
extern int board_receive(void); /* a received byte, or -1 */
extern int board_send(uint8_t byte); /* 0 where there is no room */

static _Alignas(8) uint8_t memory[32 * 1024];
static touchback_facts facts[TOUCHBACK_KEYS];
static int32_t counts[TOUCHBACK_KEYS];
static float newtons[TOUCHBACK_KEYS];
static uint8_t frame[TOUCHBACK_FRAME];

void firmware(void) {
    const touchback_build build = {
        .keys = 1, .first_key = 40, .state_keys = 1, .abilities = 1 | 2 | 16,
        .rate_hz = 8000, .report_us = 1000, .force_max = 1500, .force_held = 500,
        .step_nm = 2000, .timeout_us = 20000, .slew = 40000.0f, .thermal_time = 2.0f,
        .guard = 0.01f, .name = "a key in C",
    };
    facts[0].mass = 450;
    facts[0].bed = 1000;
    uint32_t next = board_micros() + 125;
    touchback_device *device = touchback_new(memory, sizeof memory, &build, facts, next);
    size_t length = 0, sent = 0;
    while (device) {
        for (int byte; (byte = board_receive()) >= 0;) touchback_receive(device, (uint8_t)byte);
        while (sent < length && board_send(frame[sent])) sent++;
        if ((int32_t)(board_micros() - next) < 0) continue;
        next += 125;
        counts[0] = board_count();
        touchback_tick(device, board_micros(), counts, newtons);
        board_newtons(newtons[0]);
        if (sent == length) {
            sent = 0;
            length = touchback_report(device, frame);
        }
    }
}
