//! Reads a recorded note from a WAV, AIFF, FLAC or OGG Vorbis file.

mod container;

use std::path::Path;

use anyhow::{Context, Result, bail};
use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::core::meta::MetadataOptions;

use touchback_core::files::input;
use touchback_offline::output::Shown as _;

/// Longest note that is read, s.
const LONGEST: f64 = 60.0;

/// Accepted sample rates, Hz.
const RATES: std::ops::RangeInclusive<u32> = 22_050..=384_000;

/// A stereo note.
#[derive(Clone, Debug)]
pub struct Note {
    /// Left and right, full scale ±1.
    pub channels: [Vec<f32>; 2],
    /// Sample rate, Hz.
    pub rate: f64,
    /// Why only a part of the file could be decoded.
    pub fault: Option<String>,
}

/// Whether [`read`] accepts the file ending of `path`.
#[must_use]
pub fn is_sound(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    ["wav", "wave", "aiff", "aif", "aifc", "flac", "ogg"]
        .iter()
        .any(|e| ending.eq_ignore_ascii_case(e))
}

/// Reads the note in `path`: the first two channels (a mono file twice), at most the first 60 s. Of a damaged
/// or cut file, what can be decoded counts.
///
/// # Errors
/// A file that cannot be opened, of which nothing can be decoded, or with an unsupported sample rate.
pub fn read(path: &Path) -> Result<Note> {
    decode(input::open(path)?).with_context(|| path.shown())
}

/// Reads the note in `source`, as [`read`] does.
///
/// # Errors
/// Errors of [`read`], without the file's name.
pub fn decode(mut source: impl MediaSource + 'static) -> Result<Note> {
    let (stream, share): (Box<dyn MediaSource>, f64) = match container::find(&mut source)? {
        Some(sound) => {
            let share = sound.missing.map_or(1.0, |all| sound.length() as f64 / all as f64);
            (Box::new(sound.with(source)?), share)
        }
        None => (Box::new(source), 1.0),
    };
    let stream = MediaSourceStream::new(stream, Default::default());
    let (format, meta) = (FormatOptions::default(), MetadataOptions::default());
    let mut format = symphonia::default::get_probe()
        .probe(&Hint::new(), stream, format, meta)
        .context("no WAV, AIFF, FLAC or OGG file")?;
    let track = format.default_track(TrackType::Audio).context("has no sound")?;
    let (id, frames) = (track.id, track.num_frames);
    let params = track.codec_params.as_ref().and_then(|p| p.audio()).context("has no sound")?;
    // The rate bounds the memory, so it is checked before anything is read.
    params.sample_rate.map_or(Ok(()), refuse_rate)?;
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(params, &AudioDecoderOptions::default())
        .context("holds sound in a form that is not read")?;
    let mut channels = [Vec::new(), Vec::new()];
    let (mut first_rate, mut broken) = (None, None);
    let mut part: Vec<f32> = Vec::new();
    let mut is_whole = false;
    while !is_whole {
        let packet = match format.next_packet() {
            Ok(Some(packet)) if packet.track_id == id => packet,
            Ok(Some(_)) => continue,
            Ok(None) => break,
            Err(error) => {
                broken = Some(error);
                break;
            }
        };
        let sound = match decoder.decode(&packet) {
            Ok(sound) => sound,
            Err(Error::DecodeError(_)) => continue,
            Err(error) => {
                broken = Some(error);
                break;
            }
        };
        let rate = sound.spec().rate();
        if *first_rate.get_or_insert(rate) != rate {
            bail!("damaged: its rate changes");
        }
        refuse_rate(rate)?;
        let count = sound.spec().channels().count().max(1);
        sound.copy_to_vec_interleaved(&mut part);
        for frame in part.chunks_exact(count) {
            channels[0].push(frame[0]);
            channels[1].push(frame[1.min(count - 1)]);
        }
        is_whole = channels[0].len() as f64 > LONGEST * f64::from(rate);
    }
    let Some(rate) = first_rate.filter(|_| !channels[0].is_empty()) else {
        return match broken {
            Some(error) => Err(error).context("damaged"),
            None => bail!("holds no sound"),
        };
    };
    if channels.iter().flatten().any(|x| !x.is_finite()) {
        bail!("holds samples that are no numbers");
    }
    let (decoded, rate) = (channels[0].len() as f64, f64::from(rate));
    let declared = frames.map_or(decoded, |frames| frames as f64).max(decoded / share);
    let is_cut = !is_whole && (broken.is_some() || declared > decoded + 0.5);
    let fault = is_cut.then(|| match declared > decoded + 0.5 {
        true => format!("ends after {:.2} of {:.2} s", decoded / rate, declared / rate),
        false => format!("damaged after {:.2} s", decoded / rate),
    });
    Ok(Note { channels, rate, fault })
}

/// Refuses an unsupported sample rate.
fn refuse_rate(rate: u32) -> Result<()> {
    if !RATES.contains(&rate) {
        bail!("{rate} samples a second; read are {} to {}", RATES.start(), RATES.end());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use touchback_core::math::cast::single;
    use touchback_offline::flac::Flac;
    use touchback_offline::output::Draft;

    #[test]
    fn a_wave_is_read_back_and_bad_files_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("C4.wav");
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: 44_100,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let mut writer = hound::WavWriter::create(&path, spec).unwrap();
        (0..1000i16).for_each(|i| writer.write_sample(16 * (i - 500)).unwrap());
        writer.finalize().unwrap();
        let note = read(&path).unwrap();
        assert_eq!((note.rate, note.channels[0].len()), (44_100.0, 1000));
        assert_eq!(note.channels[0], note.channels[1]);
        assert!((note.channels[0][0] + 8000.0 / 32768.0).abs() < 1e-4);
        let bytes = std::fs::read(&path).unwrap();
        for damaged in [&b""[..], b"OggS", &bytes[..20], &bytes[..44]] {
            std::fs::write(&path, damaged).unwrap();
            assert!(format!("{:#}", read(&path).unwrap_err()).contains("C4.wav"));
        }
        assert_eq!(note.fault, None);
        std::fs::write(&path, &bytes[..44 + 1001]).unwrap();
        let cut = read(&path).unwrap();
        assert_eq!(cut.channels[0], note.channels[0][..500]);
        assert_eq!(cut.fault.unwrap(), "ends after 0.01 of 0.02 s");
    }

    /// Files of `fuzz/corpus/sound` that end early.
    #[test]
    fn of_a_cut_compressed_file_the_beginning_counts() {
        let sounds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/sound");
        for name in ["sine.flac", "sine.ogg"] {
            let bytes = std::fs::read(sounds.join(name)).unwrap();
            let whole = decode(std::io::Cursor::new(bytes.clone())).unwrap();
            let cut = decode(std::io::Cursor::new(bytes[..bytes.len() - 40].to_vec()));
            if let Ok(cut) = cut {
                assert!(
                    cut.channels[0].len() < whole.channels[0].len() && cut.fault.is_some(),
                    "{name}"
                );
            }
        }
    }

    /// A file, and the number of bytes read from it.
    struct Counted(std::fs::File, Arc<AtomicU64>);

    impl Read for Counted {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.read(into)?;
            self.1.fetch_add(count as u64, Ordering::Relaxed);
            Ok(count)
        }
    }

    impl Seek for Counted {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.0.seek(to)
        }
    }

    impl MediaSource for Counted {
        fn is_seekable(&self) -> bool {
            true
        }

        fn byte_len(&self) -> Option<u64> {
            self.0.byte_len()
        }
    }

    /// A sparse file of silence, which would take eight times its length of memory if it were read.
    #[test]
    fn an_unsupported_rate_is_refused_before_anything_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("C4.wav");
        let size: u32 = 1 << 26;
        let mut bytes = b"RIFF".to_vec();
        bytes.extend((size + 36).to_le_bytes());
        bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
        bytes.extend([u32::MAX.to_le_bytes(); 2].concat());
        bytes.extend(b"\x01\0\x08\0data");
        bytes.extend(size.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        let file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
        file.set_len(u64::from(size) + 44).unwrap();
        let count = Arc::new(AtomicU64::new(0));
        assert!(decode(Counted(file, count.clone())).is_err());
        assert!(count.load(Ordering::Relaxed) < 1000, "{count:?} bytes were read");
        let told = format!("{:#}", read(&path).unwrap_err());
        assert!(told.contains("C4.wav: 4294967295 samples a second"), "{told}");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_sound_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("C4.wav");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(read(&path).unwrap_err().to_string().ends_with("C4.wav: is not a plain file"));
    }

    /// `fuzz/corpus/sound/sine.*`: 441 Hz, 2205 samples at 44.1 kHz, left 0.5, right −0.25.
    #[test]
    fn compressed_files_are_decoded() {
        let sounds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/sound");
        for (name, off) in [("sine.flac", 2e-5), ("sine.ogg", 0.02)] {
            let note = read(&sounds.join(name)).unwrap();
            assert_eq!((note.rate, note.channels[0].len()), (44_100.0, 2205), "{name}");
            for (channel, most) in note.channels.iter().zip([0.5, -0.25]) {
                let apart = channel.iter().enumerate().map(|(i, x)| {
                    (f64::from(*x) - most * (std::f64::consts::TAU * i as f64 / 100.0).sin()).abs()
                });
                let apart = apart.fold(0.0, f64::max);
                assert!(apart < off, "{name}: {apart}");
            }
        }
    }

    #[test]
    fn files_of_the_flac_writer_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.flac");
        let sine = |i: usize| libm::sin(0.05 * i as f64) / (1.0 + 1e-4 * i as f64);
        let noise = |i: usize| ((i * 7919 + i * i * 104_729) % 65_536) as f64 / 32_768.0 - 1.0;
        let signals: [&dyn Fn(usize) -> [f64; 2]; 5] = [
            &|_| [0.0; 2],
            &|i| [sine(i), 0.9 * sine(i + 3)],
            &|i| [noise(i), noise(i + 17)],
            &|i| if i % 2 == 0 { [1.0, -1.0] } else { [-1.0, 1.0] },
            &|i| [if i % 5000 == 0 { 1.0 } else { 0.0 }, sine(i / 400)],
        ];
        for signal in signals {
            for count in [1, 17, 4096, 4097, 20_000] {
                let [left, right] = [0, 1].map(|channel| {
                    (0..count).map(|i| single(signal(i)[channel])).collect::<Vec<f32>>()
                });
                let draft = Draft::create(&path).unwrap();
                let mut flac = Flac::new(&draft, 44_100).unwrap();
                for at in (0..count).step_by(700) {
                    let part = at..count.min(at + 700);
                    flac.write(&left[part.clone()], &right[part]).unwrap();
                }
                flac.finish().unwrap();
                draft.keep().unwrap();
                let found = read(&path).unwrap();
                assert_eq!((found.rate, found.fault), (44_100.0, None));
                for (channel, samples) in found.channels.iter().zip([&left, &right]) {
                    let whole = |x: f32, full: f64| (f64::from(x) * full).round();
                    let expected = samples.iter().map(|x| whole(*x, 8_388_607.0));
                    let read = channel.iter().map(|x| whole(*x, 8_388_608.0));
                    assert!(read.eq(expected), "{count} frames");
                }
            }
        }
    }
}
