//! One value in many settings: a sheet or scale is stored once, and settings hold a pointer to it.
//!
//! The neutral value needs no memory. Cloning allocates nothing, and dropping frees nothing as long as another
//! clone is left. A thread that publishes values to real-time threads keeps a clone of each in a [`Keeper`], so
//! that no real-time thread drops the last one.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A type with a value that changes nothing.
pub trait Neutral: Clone + PartialEq + 'static {
    /// The value that changes nothing.
    const NEUTRAL: &'static Self;
}

impl<T: Clone + PartialEq + 'static> Neutral for Option<T> {
    const NEUTRAL: &'static Self = &None;
}

/// A value shared by its clones. Changing it through `DerefMut` allocates, unless there is no other clone.
#[derive(Clone)]
pub struct Shared<T>(Option<Arc<T>>);

impl<T: Neutral> Shared<T> {
    /// The neutral value.
    pub const NEUTRAL: Self = Self(None);

    /// Whether the value is the neutral one.
    #[must_use]
    pub fn is_neutral(&self) -> bool {
        self.0.is_none() || **self == *T::NEUTRAL
    }
}

impl<T: Neutral> Default for Shared<T> {
    fn default() -> Self {
        Self::NEUTRAL
    }
}

impl<T: Neutral> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self((value != *T::NEUTRAL).then(|| Arc::new(value)))
    }
}

impl<T: Neutral> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::NEUTRAL)
    }
}

impl<T: Neutral> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(self.0.get_or_insert_with(|| Arc::new(T::NEUTRAL.clone())))
    }
}

impl<T: Neutral> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        // Usually both are clones of one value, which need not be read.
        std::ptr::eq(&raw const **self, &raw const **other) || **self == **other
    }
}

impl<T: Neutral + Eq> Eq for Shared<T> {}

impl<T: Neutral + fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Neutral + Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Neutral + Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

/// The values that a thread has published, each as long as another thread may have it. Neither end of a
/// keeper's life nor [`Keeper::keep`] is for real-time threads: both free memory.
#[derive(Debug)]
pub struct Keeper<T>(Vec<Arc<T>>);

impl<T> Default for Keeper<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Neutral> Keeper<T> {
    /// Keeps `value`, which is about to be published, and frees the kept values that nobody else has.
    pub fn keep(&mut self, value: &Shared<T>) {
        self.0.retain(|kept| Arc::strong_count(kept) > 1);
        if let Some(value) = &value.0
            && !self.0.iter().any(|kept| Arc::ptr_eq(kept, value))
        {
            self.0.push(value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::latest::latest;

    type Text = Shared<Option<String>>;

    fn text(text: &str) -> Text {
        Some(text.to_owned()).into()
    }

    #[test]
    fn clones_share_one_value_until_one_of_them_changes() {
        let one = text("one");
        let mut other = one.clone();
        assert!(Arc::ptr_eq(one.0.as_ref().unwrap(), other.0.as_ref().unwrap()));
        other.as_mut().unwrap().push('!');
        assert_eq!((one.as_deref(), other.as_deref()), (Some("one"), Some("one!")));
        assert!(one != other && one == text("one"));
    }

    #[test]
    fn the_neutral_value_needs_no_memory() {
        let mut value = Text::from(None);
        assert!(value.0.is_none() && value.is_neutral() && value == Text::NEUTRAL);
        *value = Some(String::new());
        assert!(!value.is_neutral() && value != Text::NEUTRAL);
        *value = None;
        assert!(value.0.is_some() && value.is_neutral() && value == Text::NEUTRAL);
    }

    #[test]
    fn a_value_is_kept_until_its_reader_has_another() {
        let (mut writer, mut reader) = latest(&Text::NEUTRAL);
        let mut keeper = Keeper::default();
        let mut publish = |word: &str| {
            let value = text(word);
            keeper.keep(&value);
            writer.write(value);
            keeper.0.len()
        };
        publish("one");
        let held = reader.read().clone();
        let counts: Vec<usize> = (0..8).map(|_| publish("other")).collect();
        // The reader's, and those in the three buffers of the exchange.
        assert!(counts.iter().all(|count| *count <= 4), "{counts:?}");
        assert_eq!(Arc::strong_count(held.0.as_ref().unwrap()), 3, "keeper, reader, buffer");
        assert_eq!(reader.read().as_deref(), Some("other"));
        drop(held);
        // Its buffer is the third to be written again.
        (0..3).for_each(|_| assert!(publish("last") > 0));
        assert!(keeper.0.iter().all(|kept| kept.as_deref() != Some("one")));
    }
}
