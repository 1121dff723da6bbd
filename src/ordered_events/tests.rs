use super::*;

impl Deferrable for i32 {
    fn outlasts_block(&self) -> bool {
        *self != i32::MIN
    }
}

/// A host's messages: sample and number.
struct Host<'a>(&'a [(u32, i32)]);

impl HostMessages<i32> for Host<'_> {
    fn for_each(&self, frames: u32, visit: &mut dyn FnMut(u32, i32)) {
        self.0.iter().for_each(|(sample, number)| visit((*sample).min(frames - 1), *number));
    }
}

/// A part's samples and its messages, each with its sample inside the part.
type Part = (Range<u32>, Vec<(u32, i32)>);

fn feed(
    events: &mut OrderedEvents<i32>,
    host: &[(u32, i32)],
    frames: u32,
    longest: u32,
) -> Vec<Part> {
    let mut parts = Vec::new();
    events.feed(&Host(host), frames, longest, |range, items| {
        let start = range.start;
        parts.push((range, items.iter().map(|i| (i.offset(start), i.message)).collect()));
        true
    });
    parts
}

#[test]
fn lost_messages_are_counted_until_the_reset() {
    let mut deferred = DeferredEvents::with_room(3);
    let room = deferred.waiting.capacity();
    let last = i32::try_from(room).unwrap() - 1;
    (0..=last + 2).for_each(|message| deferred.keep(message));
    assert_eq!((deferred.len(), deferred[0], deferred.last()), (room, 0, Some(&last)));
    deferred.clear();
    assert_eq!((deferred.len(), deferred.lost), (0, 2));
    deferred.keep(i32::MIN);
    assert_eq!((deferred.len(), deferred.reset()), (0, 3), "it does not outlast its block");
    deferred.lost = 2;
    assert_eq!((deferred.len(), deferred.lost), (0, 2));
    deferred.keep(1);
    assert_eq!((deferred.reset(), deferred.len(), deferred.reset()), (2, 0, 0));
}

#[test]
fn messages_are_ordered_by_sample_and_then_as_the_host_lists_them() {
    let mut events = OrderedEvents::new(8, 8);
    let host = [(9, 1), (3, 2), (3, 3), (700, 4), (0, 5)];
    let all = vec![(0, 5), (3, 2), (3, 3), (9, 1), (9, 4)];
    assert_eq!(feed(&mut events, &host, 10, 10), [(0..10, all)]);
    let parts =
        [(0..4, vec![(0, 5), (3, 2), (3, 3)]), (4..8, vec![]), (8..10, vec![(1, 1), (1, 4)])];
    assert_eq!(feed(&mut events, &host, 10, 4), parts);
    assert!(events.deferred.is_empty());
}

#[test]
fn a_part_ends_where_its_room_is_full() {
    let mut events = OrderedEvents::new(2, 8);
    let host = [(1, 1), (2, 2), (2, 3), (5, 4)];
    let parts = [(0..2, vec![(1, 1)]), (2..3, vec![(0, 2), (0, 3)]), (3..8, vec![(2, 4)])];
    assert_eq!(feed(&mut events, &host, 8, 8), parts);
}

/// Deferred messages come first in the next block; messages beyond the room between blocks are lost.
#[test]
fn messages_beyond_the_blocks_samples_are_deferred_in_order() {
    let mut events = OrderedEvents::new(2, 3);
    let host = [(1, 7), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6)];
    let parts = [(0..1, vec![(0, 1), (0, 2)]), (1..2, vec![(0, 3), (0, 4)])];
    assert_eq!(feed(&mut events, &host, 2, 2), parts);
    assert_eq!(*events.deferred, [5, 6, 7]);
    let host = [(0, 8), (0, 9), (0, 10), (0, 11)];
    assert_eq!(feed(&mut events, &host, 1, 1), [(0..1, vec![(0, 5), (0, 6)])]);
    assert_eq!((*events.deferred).to_vec(), [7, 8, 9]);
    assert_eq!(events.deferred.reset(), 2);
}

#[test]
fn the_messages_after_a_failed_part_are_deferred() {
    let mut events = OrderedEvents::new(8, 8);
    events.deferred.keep(1);
    events.feed(&Host(&[(2, 2), (6, 3)]), 8, 4, |_, _| false);
    assert_eq!(*events.deferred, [3]);
}

#[test]
fn a_flush_passes_deferred_values_first_and_defers_notes() {
    let mut events = OrderedEvents::new(2, 8);
    // Values are negative, notes positive.
    [1, -2].into_iter().for_each(|message| events.deferred.keep(message));
    let mut passed = Vec::new();
    events.flush(
        &Host(&[(0, 3), (5, -4), (0, -5)]),
        |message| *message < 0,
        |items| passed.push(items.iter().map(|item| item.message).collect::<Vec<_>>()),
    );
    assert_eq!(passed, [vec![-2, -4], vec![-5]]);
    assert_eq!(*events.deferred, [1, 3]);
}
