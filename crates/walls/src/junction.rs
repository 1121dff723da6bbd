//! Junctions that carry constraints over a delay without creating energy: transmission lines.
//!
//! [Tsai 1996, ch. 6; Niemeyer and Slotine 1991]. A constraint between two simulations that
//! exchange values once per step is replaced by a line of impedance Z, N·s/m, and length T, one step. The
//! line has the stiffness Z/T and the mass ZT, and stores only the energy from its ends.
//!
//! | module | part |
//! | --- | --- |
//! | [`wave`] | the line between two ports; no heap |
//! | [`masses`] | two masses joined permanently; two balls joined during contact |
//! | [`joint`] | planar joints, gear, rack and pinion, cam: their Jacobians |
//! | [`planar`] | rigid bodies in a plane whose joints are lines |
//! | [`cases`] | one small mechanism for each joint |
//! | [`pendulum`] | the double pendulum with lines, and by Lagrange's equations |

pub mod cases;
pub mod joint;
pub mod masses;
pub mod pendulum;
pub mod planar;
pub mod wave;
