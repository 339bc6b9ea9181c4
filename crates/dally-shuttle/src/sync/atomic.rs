//! Atomic types that announce their operations.

use std::fmt;

pub use shuttle::sync::atomic::{Ordering, compiler_fence, fence};

use crate::operations::{Id, Kind};

macro_rules! compare_exchange {
    ($value:ty, $name:ident, $doc:literal) => {
        #[doc = $doc]
        #[allow(clippy::missing_errors_doc, reason = "as in std: the current value if it differs")]
        pub fn $name(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            let _operation = self.id.announce(Kind::Write);
            self.inner.$name(current, new, success, failure)
        }
    };
}

/// The operations that all atomic types have.
macro_rules! atomic {
    ($name:ident $([$parameter:ident])?, $value:ty) => {
        #[doc = concat!("`shuttle::sync::atomic::", stringify!($name), "`, which announces its operations.")]
        pub struct $name $(<$parameter>)? {
            id: Id,
            inner: shuttle::sync::atomic::$name $(<$parameter>)?,
        }

        impl $(<$parameter>)? $name $(<$parameter>)? {
            /// An atomic with this value.
            #[track_caller]
            pub const fn new(value: $value) -> Self {
                Self { id: Id::new(), inner: shuttle::sync::atomic::$name::new(value) }
            }

            /// The value, which no other thread can access.
            pub fn get_mut(&mut self) -> &mut $value {
                self.inner.get_mut()
            }

            /// Consumes the atomic, and returns its value.
            pub fn into_inner(self) -> $value {
                self.inner.into_inner()
            }

            /// Reads the value.
            pub fn load(&self, order: Ordering) -> $value {
                let _operation = self.id.announce(Kind::Read);
                self.inner.load(order)
            }

            /// Writes a value.
            pub fn store(&self, value: $value, order: Ordering) {
                let _operation = self.id.announce(Kind::Write);
                self.inner.store(value, order);
            }

            /// Writes a value, and returns the old one.
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                let _operation = self.id.announce(Kind::Write);
                self.inner.swap(value, order)
            }

            compare_exchange!($value, compare_exchange, "Writes a value if the current one is as expected.");
            compare_exchange!(
                $value,
                compare_exchange_weak,
                "As [`compare_exchange`](Self::compare_exchange): it does not fail spuriously on shuttle."
            );

            /// Writes the value that a function returns for the current one, if it returns any.
            #[allow(clippy::missing_errors_doc, reason = "as in std: the current value otherwise")]
            pub fn fetch_update<F>(&self, set: Ordering, fetch: Ordering, f: F) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let _operation = self.id.announce(Kind::Write);
                self.inner.fetch_update(set, fetch, f)
            }
        }

        impl $(<$parameter>)? From<$value> for $name $(<$parameter>)? {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$parameter>)? fmt::Debug for $name $(<$parameter>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.inner.fmt(f)
            }
        }
    };
}

/// Operations that change the value by another.
macro_rules! fetch {
    ($name:ident, $value:ty, $($operation:ident)*) => {
        impl $name {
            $(
                #[doc = concat!("`", stringify!($operation), "`, as in std; returns the old value.")]
                pub fn $operation(&self, value: $value, order: Ordering) -> $value {
                    let _operation = self.id.announce(Kind::Write);
                    self.inner.$operation(value, order)
                }
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }
    };
}

macro_rules! integers {
    ($($name:ident $value:ty;)*) => {$(
        atomic!($name, $value);
        fetch!(
            $name, $value,
            fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_max fetch_min
        );
    )*};
}

integers! {
    AtomicI8 i8;
    AtomicI16 i16;
    AtomicI32 i32;
    AtomicI64 i64;
    AtomicI128 i128;
    AtomicIsize isize;
    AtomicU8 u8;
    AtomicU16 u16;
    AtomicU32 u32;
    AtomicU64 u64;
    AtomicU128 u128;
    AtomicUsize usize;
}

atomic!(AtomicBool, bool);
fetch!(AtomicBool, bool, fetch_and fetch_nand fetch_or fetch_xor);

impl AtomicBool {
    /// Negates the value, and returns the old one.
    pub fn fetch_not(&self, order: Ordering) -> bool {
        let _operation = self.id.announce(Kind::Write);
        self.inner.fetch_not(order)
    }
}

atomic!(AtomicPtr[T], *mut T);

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}
