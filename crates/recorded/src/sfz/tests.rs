use std::path::Path;

use proptest::prelude::*;

use super::*;

/// Reads `text` as a file beside those of `others`.
fn instrument(text: &str, others: &[(&str, &str)]) -> Result<Instrument> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in others {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let path = folder.path().join("piano.sfz");
    std::fs::write(&path, text).unwrap();
    let mut instrument = read(&path)?;
    for region in &mut instrument.regions {
        // An absolute path stays as it is.
        if let Ok(inner) = region.sample.strip_prefix(folder.path()) {
            region.sample = inner.to_owned();
        }
    }
    Ok(instrument)
}

fn region(sample: &str, key: i32, velocities: [u8; 2], gain: f64) -> Region {
    Region { sample: Path::new(sample).to_owned(), key, velocities, gain }
}

#[test]
fn headers_inherit_and_directives_stand_for_their_text() {
    let text = "// a piano\n\
        #define $EXT flac\n#define $EX wav\n\
        <control> default_path=Samples\\ set_cc20=1\n\
        <global> volume=-3 amp_veltrack=80\n\
        <group> lovel=1 hivel=60 group_volume=1 /* soft\n and longer */\n\
        <region> lokey=21 hikey=24 pitch_keycenter=b0 sample=FF A#0 soft.$EXT\n\
        <region>key=c4 sample=c4.$EX volume=2 // louder\n\
        <master> trigger=release\n<group><region> key=60 sample=noise.wav\n\
        <global>\n<group> hivel=127 lovel=$LOUD\n#include \"data/loud.txt\"";
    let text = format!("#define $LOUD 61\n{text}");
    let loud = "<region> #define $KEY 021 key=$KEY sample=loud_$KEY.$EXT\n\
        #include \"data\\once more.txt\"";
    let more = "<region>sample=d.wav key=62 locc20=1 <region>sample=e.wav key=64 locc64=64";
    let others = [("data/loud.txt", loud), ("data/Once more.txt", more)];
    let found = instrument(&text, &others).unwrap();
    assert_eq!(
        found.regions,
        [
            region("Samples/FF A#0 soft.flac", 23, [1, 60], -2.0),
            region("Samples/c4.wav", 60, [1, 60], 3.0),
            region("Samples/loud_021.flac", 21, [61, 127], 0.0),
            region("Samples/d.wav", 62, [61, 127], 0.0),
        ]
    );
    // The release's noise and what sounds with the pedal; amp_veltrack.
    assert_eq!((found.others, found.unread, found.strays), (2, 1, 0));
}

#[test]
fn regions_that_a_key_does_not_play_are_omitted() {
    for condition in [
        "trigger=release",
        "on_locc64=64 on_hicc64=127",
        "hikey=-1",
        "seq_position=2",
        "lorand=0.5 hirand=1",
        "sw_last=24",
        "end=-1",
        "locc64=1",
        "hicc7=99",
        "lohdcc1=0.1",
    ] {
        let text = format!("<region>sample=a.wav key=60\n<region>sample=b.wav key=62 {condition}");
        let found = instrument(&text, &[]).unwrap();
        assert_eq!(found.regions, [region("a.wav", 60, [0, 127], 0.0)], "{condition}");
        assert_eq!(found.others, 1);
    }
    let named = "<region>sample=Ds4.wav pitch_keycenter=sample<region>sample=*sine key=3";
    assert_eq!(instrument(named, &[]).unwrap().regions, [region("Ds4.wav", 63, [0, 127], 0.0)]);
}

#[test]
fn errors_name_file_and_line() {
    let told = |text: &str| {
        let others = [("a.txt", "\n#include \"a.txt\""), ("b.txt", "<region>\nkey=h4")];
        format!("{:#}", instrument(text, &others).unwrap_err())
    };
    for (text, said) in [
        ("\n\n<region", "piano.sfz, line 3: a header without its `>`"),
        ("<region> sample=a.wav key=128", "line 1: key=128: is no key"),
        ("<region> sample=a.wav lovel=200", "lovel=200: is no velocity"),
        ("<region> sample=a.wav volume=loud", "volume=loud: is no number"),
        ("<region> sample=a.wav key=$KEY", "key=$KEY: is no key"),
        ("#define EXT wav", "line 1: #define wants a $name"),
        ("#include a.txt", "line 1: #include wants a \"file\""),
        ("#include \"gone.txt\"", "gone.txt: cannot read"),
        ("<region> sample=a.wav lokey=b2147483647", "lokey=b2147483647: is no key"),
        ("#include \"a.txt\"", "a.txt, line 2: #include deeper than 16"),
        ("\n#include \"b.txt\"", "piano.sfz, line 2: "),
        ("<region> #include \"b.txt\"", "b.txt, line 2: key=h4: is no key"),
        ("<control>note_offset=999", "note_offset=999: is no shift"),
        ("words of no meaning", "has no region that a key plays"),
        ("", "has no region that a key plays"),
    ] {
        assert!(told(text).contains(said), "{text}: {}", told(text));
    }
    // Of a chain of includes its beginning and its end are named, each once.
    for text in ["#include \"a.txt\"", "\n#include \"b.txt\""] {
        let told = told(text);
        assert_eq!(told.matches(".txt").count(), 1, "{told}");
        assert_eq!(told.matches("piano.sfz").count(), 1, "{told}");
    }
    let double = |i: u32| format!("#define $A{i:02} $A{:02}$A{:02}\n", i - 1, i - 1);
    let bomb = format!("#define $A00 aaaa\n{}", (1..40).map(double).collect::<String>());
    assert!(told(&bomb).contains("longer than 4096 bytes"));
}

/// Read line by line, character by character and opcode by opcode, a file of this size takes
/// milliseconds; what is done anew for the rest of a line, or for every region, takes hours.
#[test]
fn a_long_file_takes_as_long_as_its_length() {
    let blanks = " ".repeat(3_000_000);
    for text in [
        format!("<region> sample=a.wav{blanks}"),
        format!("<region> x=a{blanks}b{blanks}sample=a.wav"),
        format!("<region> sample=a.wav x={}", "b \t".repeat(2_000_000)),
    ] {
        assert_eq!(instrument(&text, &[]).unwrap().regions.len(), 1);
    }
    let refused = |text: &str| instrument(text, &[]).unwrap_err().root_cause().to_string();
    let deep = format!("<region> sample={}", "a/".repeat(2_000_000));
    assert!(refused(&deep).ends_with("is longer than 4096 bytes"));
    let name = format!("${}", "a".repeat(4_000_000));
    assert!(refused(&format!("#define {name} b")).ends_with("a name longer than 64 bytes"));
    assert!(refused(&format!("<region> x={name}")).contains("longer than 4096 bytes with what"));
    let all: String = (0..200_000).map(|i| format!("locc{i}=1 hicc0{i}=1 ")).collect();
    let regions = "<region>sample=a ".repeat(10_000);
    assert!(refused(&format!("<global>{all}\n{regions}")).ends_with("conditions of regions"));
    let made: String = (0..100_000).map(|i| format!("#define $B{i} $A\n")).collect();
    let made = refused(&format!("#define $A {}\n{made}", "a".repeat(4000)));
    assert!(made.ends_with("bytes with what is included and defined"), "{made}");
}

/// An empty file adds no bytes, however often it is read.
#[test]
fn files_without_content_are_included_a_bounded_number_of_times() {
    let many = "#include \"b.txt\"\n".repeat(400);
    let others = [("a.txt", many.as_str()), ("b.txt", "")];
    let told = format!("{:#}", instrument(&many.replace("b.", "a."), &others).unwrap_err());
    assert!(told.contains("more than 10000 files are included"), "{told}");
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".{0,300}") {
        let _ = instrument(&text, &[]);
    }

    #[test]
    fn arbitrary_sequences_of_its_parts_never_panic(parts in proptest::collection::vec(prop_oneof![
        "<(region|group|global|master|control|curve|)>?",
        "[a-z_$]{0,9}=[^\n]{0,12}",
        "(key|lokey|hikey|pitch_keycenter|lovel|hivel|note_offset|octave_offset)=-?[a-g#b0-9]{0,4}",
        "(volume|set_cc7|locc64|set_hdcc1|lohdcc9)=-?[0-9.eE]{0,6}",
        "#(define|include) ?\\$?[A-Za-z$\"]{0,6} ?",
        "sample=[ -~]{0,12}", "\n", " ", "//", "/\\*", "\\*/", "é",
    ], 0..40)) {
        let _ = instrument(&parts.concat(), &[]);
    }
}

#[test]
fn the_prefix_of_aria_is_tried_where_a_sound_is_not_there_without() {
    let text = "<control> default_path=s/ prefix_sfz_path=More/\n<region> sample=a.wav key=60\n\
        <region> sample=b.wav key=62";
    let found = instrument(text, &[("s/a.wav", ""), ("More/s/b.wav", "")]).unwrap();
    let paths: Vec<&Path> = found.regions.iter().map(|region| &*region.sample).collect();
    assert_eq!(paths, [Path::new("s/a.wav"), Path::new("More/s/b.wav")]);
}
