/* The device half of a motorized keyboard for Touchback, for firmware in C.
 *
 * One object in memory that the firmware provides; no heap, no operating system. Positions are counts
 * and forces newtons at the key front, positive down and against downward motion (docs/protocol.md).
 * None of the functions may interrupt another on the same object.
 */
#ifndef TOUCHBACK_DEVICE_H
#define TOUCHBACK_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most keys of a keyboard: length of facts, counts and newtons. */
#define TOUCHBACK_KEYS 88
/* Room that every frame fits in, bytes. */
#define TOUCHBACK_FRAME 1032

/* One key's own mechanics. */
typedef struct {
    uint8_t key;       /* on the device, from 0 */
    uint16_t mass;     /* moving mass, 0.1 g */
    int16_t weight;    /* mN */
    uint16_t friction; /* mN */
    uint16_t damping;  /* mN s/m */
    uint16_t bed;      /* depth of a physical bed, 10 um; 0: none */
} touchback_facts;

/* What a keyboard is and what no host can lift. */
typedef struct {
    uint8_t keys;
    uint8_t first_key;   /* piano number, 1 to 88 */
    uint8_t state_keys;  /* most keys in a state, 1 or more */
    uint16_t abilities;  /* 1 waves, 2 forces, 4 force sensor, 8 renders a bed, 16 has one */
    uint16_t rate_hz;    /* ticks a second */
    uint16_t report_us;  /* time between states */
    uint16_t force_max;  /* 10 mN */
    uint16_t force_held; /* 10 mN */
    uint32_t step_nm;    /* way of the key front per count */
    uint32_t timeout_us; /* longest time without a command */
    float slew;          /* N/s */
    float thermal_time;  /* s */
    float bed_stiffness; /* stiffest bed rendered, N/m */
    float bed_damping;   /* most damped, N s/m */
    float bed_depth;     /* highest, m */
    float guard;         /* energy guard's ceiling, J */
    uint8_t name[16];    /* UTF-8, padded with zeros */
} touchback_build;

typedef struct touchback_device touchback_device;

/* Bytes that an object takes, and their alignment. */
size_t touchback_size(void);
size_t touchback_alignment(void);

/* A keyboard switched on at now_us, in memory of size bytes; NULL where that is too small or not
 * aligned. facts: one for each of TOUCHBACK_KEYS. */
touchback_device *touchback_new(void *memory, size_t size, const touchback_build *build,
                                const touchback_facts *facts, uint32_t now_us);

/* Takes a received byte. */
void touchback_receive(touchback_device *device, uint8_t byte);

/* One tick at now_us: TOUCHBACK_KEYS counts in, as many forces out. */
void touchback_tick(touchback_device *device, uint32_t now_us, const int32_t *counts,
                    float *newtons);

/* Writes the next frame to be sent to out, of TOUCHBACK_FRAME bytes; its length, 0 for none. */
size_t touchback_report(touchback_device *device, uint8_t *out);

/* Mode (0 idle, 1 ready, 2 live, 3 fading, 4 damping, 5 fault) and bits of the faults. */
uint8_t touchback_mode(const touchback_device *device);
uint16_t touchback_faults(const touchback_device *device);

#ifdef __cplusplus
}
#endif

#endif
