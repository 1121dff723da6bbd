//! Allocation with all pages committed, and with little stack.
//!
//! An operating system commits a page of memory when it is first written, which costs a page fault. Memory
//! for the audio thread is therefore written once where it is allocated.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// Size of the smallest page of any supported system, bytes.
const PAGE: usize = 4096;

/// An empty vector with the capacity for `capacity` items, all pages committed. Allocates.
#[must_use]
pub fn room<T>(capacity: usize) -> Vec<T> {
    let mut room: Vec<T> = Vec::with_capacity(capacity);
    for item in one_per_page(room.spare_capacity_mut()) {
        let bytes = size_of::<T>();
        // SAFETY: an uninitialized item may hold any bytes.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(item.as_mut_ptr().cast::<MaybeUninit<u8>>(), bytes)
        };
        one_per_page(bytes).for_each(|byte| {
            byte.write(black_box(0));
        });
    }
    room
}

/// A vector of `count` times `value`, all pages committed. Allocates.
#[must_use]
pub fn filled<T: Copy>(value: T, count: usize) -> Vec<T> {
    let mut all = vec![value; count];
    // A vector of zeros is allocated without being written.
    one_per_page(&mut all).for_each(|item| *item = black_box(value));
    all
}

/// The value of `make` in a box. Allocates; not inlined, so that the stack on which the value is made is free again
/// when this returns: hosts have threads with little stack.
#[must_use]
#[inline(never)]
pub fn boxed<T>(make: impl FnOnce() -> T) -> Box<T> {
    Box::new(make())
}

/// Items such that every page contains one.
fn one_per_page<T>(items: &mut [T]) -> impl Iterator<Item = &mut T> {
    let last = items.len().saturating_sub(1);
    let each = (PAGE / size_of::<T>().max(1)).max(1);
    items.iter_mut().enumerate().filter(move |(i, _)| i % each == 0 || *i == last).map(|(_, x)| x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_contains_a_written_item() {
        fn pages<T: Copy + Default>(count: usize) {
            let mut items = vec![T::default(); count];
            let begin = items.as_ptr().addr();
            let addresses: Vec<usize> =
                one_per_page(&mut items).map(|item| std::ptr::from_mut(item).addr()).collect();
            for page in begin / PAGE..(begin + count * size_of::<T>()).div_ceil(PAGE) {
                let is_in_page = |address: &usize| {
                    (address / PAGE..=(address + size_of::<T>() - 1) / PAGE).contains(&page)
                };
                assert!(addresses.iter().any(is_in_page), "page {page} of {addresses:?}");
            }
        }
        for count in [1, 2, 500, 5000] {
            pages::<u8>(count);
            pages::<[f64; 3]>(count);
            pages::<[[f64; 32]; 5]>(count);
        }
    }

    #[test]
    fn room_has_no_items_and_filled_has_all_items() {
        let mut room = room::<[u64; 700]>(9);
        assert!(room.is_empty() && room.capacity() >= 9);
        room.push([7; 700]);
        assert_eq!(room[0][699], 7);
        assert_eq!((filled(0.0f32, 3000), filled(5u8, 0)), (vec![0.0; 3000], vec![]));
    }
}
