//! Host glue: the CLAP and VST3 plugin.
