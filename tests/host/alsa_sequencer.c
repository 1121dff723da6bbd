/* The ALSA sequencer's calls without /dev/snd/seq: one client, no ports to connect to, no events. Loaded before
 * the real library (LD_PRELOAD), it lets Qtractor start where the kernel has no sequencer. Its tracks play by
 * JACK; only MIDI hardware is missing. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

/* A pipe that nothing is written to: what the host's input thread waits for. */
static int ends[2] = {-1, -1};

int snd_seq_open(void **handle, const char *name, int streams, int mode) {
    (void)name, (void)streams, (void)mode;
    if (ends[0] < 0 && pipe(ends) != 0) return -errno;
    *handle = ends;
    return 0;
}

int snd_seq_client_id(void *handle) { return (void)handle, 128; }

int snd_seq_event_input(void *handle, void **event) {
    (void)handle;
    *event = NULL;
    return -EAGAIN;
}

int snd_seq_poll_descriptors_count(void *handle, short events) { return (void)handle, (void)events, 1; }

int snd_seq_poll_descriptors(void *handle, struct pollfd *found, unsigned space, short events) {
    (void)handle, (void)space, (void)events;
    found[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    return 1;
}

#define DONE(function) int function(void) { return 0; }
#define NOTHING(function) int function(void) { return -ENOENT; }

DONE(snd_seq_close) DONE(snd_seq_set_client_name)
DONE(snd_seq_create_simple_port) DONE(snd_seq_delete_simple_port)
DONE(snd_seq_get_port_info) DONE(snd_seq_set_port_info)
DONE(snd_seq_subscribe_port) DONE(snd_seq_unsubscribe_port)
DONE(snd_seq_alloc_queue) DONE(snd_seq_free_queue) DONE(snd_seq_control_queue)
DONE(snd_seq_get_queue_status) DONE(snd_seq_get_queue_tempo)
DONE(snd_seq_set_queue_tempo) DONE(snd_seq_set_queue_timer)
DONE(snd_seq_drain_output) DONE(snd_seq_drop_input) DONE(snd_seq_drop_output) DONE(snd_seq_remove_events)
DONE(snd_seq_event_input_pending) DONE(snd_seq_event_output) DONE(snd_seq_event_output_direct)
DONE(snd_seq_free_event)

NOTHING(snd_seq_get_any_client_info) NOTHING(snd_seq_get_any_port_info)
NOTHING(snd_seq_query_next_client) NOTHING(snd_seq_query_next_port) NOTHING(snd_seq_query_port_subscribers)
