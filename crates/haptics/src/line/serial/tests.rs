use super::*;

#[test]
fn a_second_owner_receives_the_name_of_the_first() {
    let path = format!("/dev/no-such-port-{}", std::process::id());
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(locks().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "accessible to others");
    }
    let first = claim(&path, "the first").unwrap();
    let error = claim(&path, "the second").unwrap_err().to_string();
    assert!(error.contains("in use by the first (process"), "{error}");
    drop(first);
    assert!(claim(&path, "the second").is_ok());
}

#[cfg(unix)]
#[test]
fn a_lock_ends_with_its_owner_and_abandoned_files_do_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let count = || std::fs::read_dir(folder.path()).unwrap().count();
    // Paths that differ in characters that a file name cannot have.
    let claims: Vec<_> = ["/dev/a-b", "/dev/a_b", "/dev/a/b", "/dev/a%2fb", "tcp:127.0.0.1:5"]
        .map(|path| claim_in(folder.path(), path, "one").unwrap())
        .into();
    assert_eq!(count(), 2 * claims.len());
    drop(claims);
    assert_eq!(count(), 0);
    // A killed owner leaves both files without a lock.
    for ending in ["lock", "owner"] {
        std::fs::write(folder.path().join(format!("touchback_dev_a.{ending}")), "dead").unwrap();
    }
    let claim = claim_in(folder.path(), "/dev/a", "living").unwrap();
    let error = claim_in(folder.path(), "/dev/a", "late").unwrap_err().to_string();
    assert!(error.contains("in use by living"), "{error}");
    drop(claim);
    assert_eq!(count(), 0);
}

/// A file that is opened before its owner removes it, and locked after.
#[cfg(unix)]
#[test]
fn a_lock_on_a_removed_file_is_not_valid() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("lock");
    let first = File::create(&name).unwrap();
    assert!(is_locked(&first, &name).unwrap());
    assert!(is_locked(&File::open(&name).unwrap(), &name).is_err(), "held by another");
    std::fs::remove_file(&name).unwrap();
    assert!(!is_locked(&first, &name).unwrap());
    let second = File::create(&name).unwrap();
    assert!(!is_locked(&first, &name).unwrap() && is_locked(&second, &name).unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn folders_that_others_can_access_are_not_used() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    let dir = tempfile::tempdir().unwrap();
    let user = std::fs::metadata(dir.path()).unwrap().uid();
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir(at("open")).unwrap();
    std::fs::set_permissions(at("open"), std::fs::Permissions::from_mode(0o777)).unwrap();
    symlink("elsewhere", at("link")).unwrap();
    std::fs::write(at("file"), "").unwrap();
    let others = [at("open"), at("link"), at("file")];
    assert_eq!(first_own(others.clone().into_iter(), user), None);
    let all = others.into_iter().chain([at("own/deep")]);
    assert_eq!(first_own(all, user), Some(at("own/deep")));
    assert_eq!(first_own([at("own/deep")].into_iter(), user + 1), None);
}

#[cfg(unix)]
#[test]
fn a_missing_port_has_its_own_error() {
    let error = SerialLink::open("/dev/nowhere", "a test", Duration::ZERO).unwrap_err();
    assert!(matches!(error, PortError::Missing(_)), "{error:?}");
}
