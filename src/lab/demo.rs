//! demo
/// x
/// # Errors
/// none
pub fn run(_: &std::path::Path) -> anyhow::Result<()> {
    anyhow::bail!("later")
}
