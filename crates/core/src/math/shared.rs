//! Shared immutable values: computed once, kept while they are in use.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Values by key. For threads that may wait. A value is freed by the thread that drops its last reference.
pub struct SharedValues<K, V> {
    made: Mutex<Vec<(K, Weak<V>)>>,
}

impl<K: PartialEq, V> SharedValues<K, V> {
    /// No values.
    #[must_use]
    pub const fn new() -> Self {
        Self { made: Mutex::new(Vec::new()) }
    }

    /// The value of `key`, computed by `make` unless it is in use already. Other threads that call this wait
    /// meanwhile. Allocates.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let has_key = |(of, _): &&(K, Weak<V>)| *of == key;
        if let Some(value) = made.iter().find(has_key).and_then(|(_, value)| value.upgrade()) {
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
    fn equal_keys_share_a_value_that_is_freed_with_its_last_reference() {
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
