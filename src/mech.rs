//! Laws of the mechanical parts: felt and friction.
