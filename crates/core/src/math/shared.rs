//! Values that many need and nobody changes: made once, kept as long as somebody uses them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Values by what determines them. For threads that may wait; whoever keeps the last reference to a
/// value frees it when dropping it.
pub struct SharedValues<K, V> {
    made: Mutex<Vec<(K, Weak<V>)>>,
}

impl<K: PartialEq, V> SharedValues<K, V> {
    /// None made yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { made: Mutex::new(Vec::new()) }
    }

    /// The value of `key`, made by `make` unless somebody uses it already; others who want one wait
    /// meanwhile. Allocates.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked = |(of, _): &&(K, Weak<V>)| *of == key;
        if let Some(value) = made.iter().find(is_asked).and_then(|(_, value)| value.upgrade()) {
            return value;
        }
        let value = Arc::new(make());
        made.retain(|(_, value)| value.strong_count() > 0);
        made.push((key, Arc::downgrade(&value)));
        value
    }
}

impl<K: PartialEq, V> Default for SharedValues<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_and_go_with_their_last_user() {
        let values = SharedValues::new();
        let first = values.get(1, || vec![1]);
        let (again, other) = (values.get(1, || vec![9]), values.get(2, || vec![2]));
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!((&*again, &*other), (&vec![1], &vec![2]));
        let gone = Arc::downgrade(&first);
        drop((first, again));
        assert!(gone.upgrade().is_none());
        assert_eq!(*values.get(1, || vec![9]), [9]);
        assert_eq!(values.made.lock().unwrap().len(), 2);
    }
}
