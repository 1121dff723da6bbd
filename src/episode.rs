//! EPISODEs: event-processing, interactively sequencing ordinary differential equations.
