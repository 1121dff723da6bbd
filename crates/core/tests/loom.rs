//! Every order of memory operations between the writer and the reader of recent items, by a model
//! checker: `RUSTFLAGS="--cfg loom" cargo test -p touchback-core --test loom --release`.
#![cfg(loom)]

use touchback_core::exchange::recent::{Item, recent};

/// Items that the writer writes while the reader reads once.
const WRITTEN: u64 = 3;

/// Words of item `number`, of which one gives the other.
const fn item(number: u64) -> Item {
    [number, !number]
}

#[test]
fn a_reader_gets_whole_items_in_order_in_every_interleaving() {
    loom::model(|| {
        let (mut writer, mut reader) = recent(2);
        let writing = loom::thread::spawn(move || (1..=WRITTEN).for_each(|n| writer.put(item(n))));
        let mut items = Vec::new();
        reader.take_new(&mut items);
        for [number, check] in &items {
            assert_eq!([*number, *check], item(*number), "a torn item");
        }
        for pair in items.windows(2) {
            assert_eq!(pair[1][0], pair[0][0] + 1, "a gap");
        }
        writing.join().unwrap();
    });
}
