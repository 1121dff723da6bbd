/* The device's half of a motorized keyboard for Touchback, for firmware in C. Needs no heap and no
 * operating system: the firmware provides the memory of the one object.
 *
 * Positions are sensor counts of the key front: positive down, 0 at rest. Forces are newtons at the key
 * front, positive against downward motion (docs/protocol.md).
 *
 * No function may interrupt another one that uses the same object. Unless stated otherwise, pointers
 * must not be NULL.
 *
 * Safety: a motorized key moves a human hand. Apply the forces of every touchback_tick at once, switch
 * the amplifiers off in the modes idle, ready and fault, and let a hardware watchdog of at most 20 ms,
 * fed by the tick, take the motors' supply away.
 */
#ifndef TOUCHBACK_DEVICE_H
#define TOUCHBACK_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of keys; length of the arrays facts, counts and newtons, whatever the keyboard has. */
#define TOUCHBACK_KEYS 88
/* Size of the largest frame, bytes. */
#define TOUCHBACK_FRAME 1032

/* Mechanics of one physical key, at the key front. */
typedef struct {
    uint8_t key;       /* number on the device, from 0 */
    uint16_t mass;     /* moving mass, 0.1 g */
    int16_t weight;    /* force that holds the key up at rest, mN; negative: the key sinks */
    uint16_t friction; /* Coulomb friction, mN */
    uint16_t damping;  /* viscous damping, mN s/m */
    uint16_t bed;      /* depth of a physical key bed, 10 um; 0: none */
} touchback_facts;

/* Description of a keyboard and its own limits, which a host can only tighten. */
typedef struct {
    uint8_t keys;        /* 1 to 88 */
    uint8_t first_key;   /* piano number of the first key, 1 to 88 */
    uint8_t state_keys;  /* largest number of keys in a state, 1 or more */
    uint16_t abilities;  /* sum of 1 waves, 2 plain forces, 4 force sensor, 8 renders a key bed,
                            16 has a physical key bed, 32 sensors and no motors, 64 measures speed */
    uint16_t rate_hz;    /* ticks per second */
    uint16_t report_us;  /* time between states, us */
    uint16_t force_max;  /* largest force, 10 mN */
    uint16_t force_held; /* continuous force, 10 mN */
    uint32_t step_nm;    /* motion of the key front per sensor count, nm */
    uint32_t timeout_us; /* time without a command after which force fades, us */
    float slew;          /* largest growth of force, N/s */
    float thermal_time;  /* thermal time constant of the motors, s */
    float bed_stiffness; /* largest stiffness of a rendered key bed, N/m */
    float bed_damping;   /* largest damping of a rendered key bed, N s/m */
    float bed_depth;     /* smallest depth of a rendered key bed, m */
    float guard;         /* ceiling of the energy guard, J */
    uint8_t name[16];    /* UTF-8, padded with zeros */
    uint64_t serial;     /* serial number, 0: none */
    uint8_t firmware[3]; /* version of the firmware: major, minor, patch */
    uint8_t reset_cause; /* 0 unknown, 1 power-up, 2 reset input, 3 watchdog, 4 brown-out, 5 software */
} touchback_build;

typedef struct touchback_device touchback_device;

/* Size and alignment of an object, bytes. */
size_t touchback_size(void);
size_t touchback_alignment(void);

/* Creates an object, in mode idle, in memory of size bytes. Returns NULL where the memory is NULL, too
 * small or not aligned. facts: array of TOUCHBACK_KEYS. now_us: the device's time, microseconds modulo
 * 2^32. */
touchback_device *touchback_new(void *memory, size_t size, const touchback_build *build,
                                const touchback_facts *facts, uint32_t now_us);

/* Handles a byte received from the host. */
void touchback_receive(touchback_device *device, uint8_t byte);

/* Notes the present faults of the hardware before a tick, a sum of: 1024 motor supply off or out of
 * range, 2048 driver fault, 4096 too hot, 32768 zero of a sensor not found. Each ends force at once, and
 * there is none while it persists. */
void touchback_hardware(touchback_device *device, uint16_t faults);

/* Search for the zero of an incremental encoder: the key stands still for 1 s at the highest position that it
 * has had. Until then, and again once the key is seen above its zero, the zero is not found (fault 32768). The
 * words are read by the functions alone. */
typedef struct touchback_homing {
    int32_t words[7];
} touchback_homing;

/* Begins the search at the raw count raw, of which one is step_nm nm of the key front. */
void touchback_home(touchback_homing *homing, int32_t raw, uint32_t step_nm);

/* Count from the zero, or from the highest position so far, of the raw count raw, read us microseconds
 * after the last. */
int32_t touchback_homed_count(touchback_homing *homing, int32_t raw, uint32_t us);

/* 1 where the zero is found, else 0. */
int touchback_is_homed(const touchback_homing *homing);

/* Notes the measured speed of a key, m/s, positive down, before a tick (ability 64). */
void touchback_speed(touchback_device *device, size_t key, float speed);

/* One tick, to be called rate_hz times a second: reads TOUCHBACK_KEYS sensor counts, writes
 * TOUCHBACK_KEYS forces, N. The forces hold until the next tick. now_us: the device's time. */
void touchback_tick(touchback_device *device, uint32_t now_us, const int32_t *counts,
                    float *newtons);

/* Writes the next frame for the host to out, an array of TOUCHBACK_FRAME bytes. Returns its length,
 * 0 where nothing is to be sent. */
size_t touchback_report(touchback_device *device, uint8_t *out);

/* Mode: 0 idle, 1 ready, 2 live, 3 fading, 4 damping, 5 fault. Faults: the bits of docs/protocol.md
 * since the last clear. */
uint8_t touchback_mode(const touchback_device *device);
uint16_t touchback_faults(const touchback_device *device);

#ifdef __cplusplus
}
#endif

#endif
