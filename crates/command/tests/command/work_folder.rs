//! A folder with test files for the built program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Output of the program with `arguments` in `dir`.
pub fn touchback(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_touchback"))
        .current_dir(dir)
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// A folder with a small piece, and valid and invalid curves and gestures.
pub struct WorkFolder {
    dir: TempDir,
}

impl WorkFolder {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let work_folder = Self { dir };
        work_folder.put("ok.mid", &piece());
        work_folder.put("cut.mid", &piece()[..40]);
        work_folder.put("none.mid", &piece()[..14]);
        work_folder.put("text.mid", b"no music");
        work_folder.put("rest.mid", &file(&[0, 0xB0, 64, 127, 96, 0xFF, 0x2F, 0]));
        work_folder.put("curve.csv", b"t_s,value\n0,1\n0.3,3\n");
        work_folder.put("wide.csv", b"t_s,value\n0,1\n0.3,3000\n");
        work_folder.put("back.csv", b"t_s,value\n1,1\n0,1\n");
        work_folder.put("press.csv", b"t_s,key_m\n0,0\n0.1,0.01\n");
        work_folder.put("both.csv", b"t_s,key_m,force_n\n0,0,0\n0.1,0.01,1\n");
        work_folder.put("late.csv", b"t_s,key_m\n0.1,0\n0.2,0.01\n");
        work_folder
            .put("mine.toml", b"format = 1\nname = \"Mine\"\n[values]\nblow_mm = 44\nharp = 1\n");
        work_folder.put("torn.toml", b"format = 1\nname = \"Mine\"\n[values]\nblow_mm = \n");
        work_folder.put("newer.toml", b"format = 9\ntouchback = \"9.1\"\n[values]\n");
        work_folder.put("form.toml", b"form = \"flick\"\nduration_s = 1\n");
        work_folder
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path().join(name), bytes).expect("a file");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).expect(name)
    }

    pub fn names(&self) -> Vec<PathBuf> {
        let mut names: Vec<_> = fs::read_dir(self.path())
            .expect("a folder")
            .map(|e| e.expect("an entry").path())
            .collect();
        names.sort();
        names
    }

    /// Checks a refusal: exit code 2, one line on stderr that contains `part`, nothing on stdout, no new file.
    pub fn refuses(&self, arguments: &[&str], part: &str) {
        let before = self.names();
        let output = touchback(self.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        let errors: Vec<_> = message.lines().collect();
        assert_eq!(errors.len(), 1, "{arguments:?}: {message}");
        assert!(
            errors[0].starts_with("error: ") && message.contains(part),
            "{arguments:?}: {message}"
        );
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(self.names(), before, "{arguments:?} left a file");
    }
}

/// Two notes, one outside the compass, running status, pedal: 0.5 s.
pub fn piece() -> Vec<u8> {
    let track = [
        &[0, 0xB0, 64, 100, 0, 0x90, 60, 100, 48, 64, 80, 1, 15, 80][..],
        &[47, 60, 0, 0, 64, 0, 0, 15, 0, 0, 0xB0, 64, 0, 0, 0xFF, 0x2F, 0],
    ]
    .concat();
    file(&track)
}

/// A MIDI file of one track, 192 ticks per second.
pub fn file(track: &[u8]) -> Vec<u8> {
    let mut bytes = b"MThd\0\0\0\x06\0\0\0\x01\0\x60MTrk\0\0\0".to_vec();
    bytes.push(u8::try_from(track.len()).expect("a short track"));
    bytes.extend(track);
    bytes
}
