//! Every host parameter, declared once.
