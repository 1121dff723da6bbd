//! Lane-wise operators of the register types.

/// Implements the operator `$trait` of a register type by the intrinsic `$instruction`, which the macro
/// `instruction` of the calling file calls.
macro_rules! operator {
    ($type:ident, $trait:ident, $name:ident, $instruction:ident) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $name(self, o: Self) -> Self {
                Self(instruction!($instruction(self.0, o.0)))
            }
        }
    };
}

pub(super) use operator;
