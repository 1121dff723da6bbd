//! Junctions that carry constraints over a delay without making energy: transmission lines.
//!
//! [Tsai 1996, ch. 6; Niemeyer and Slotine 1991]. A constraint between two simulations that
//! exchange numbers once a step is replaced by a line of impedance Z, N·s/m, one step T long. It
//! has the stiffness Z/T and the mass ZT and stores only what its ends put in.
//!
//! | module | part |
//! | --- | --- |
//! | [`wave`] | the line between two ports; no heap |
//! | [`masses`] | two masses joined for good; two balls joined while they touch |
//! | [`joint`] | planar joints, gear, rack and pinion, cam: their Jacobians |
//! | [`planar`] | rigid bodies in a plane, every joint a line |
//! | [`cases`] | one small mechanism for every joint |
//! | [`pendulum`] | the double pendulum that way, and by Lagrange's equations |

pub mod cases;
pub mod joint;
pub mod masses;
pub mod pendulum;
pub mod planar;
pub mod wave;
