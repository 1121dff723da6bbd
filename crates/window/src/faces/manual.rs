//! The manual as one page for a browser. The pages are part of the plugin's library, so the manual needs no
//! other file.

use std::io;
#[cfg(not(target_family = "wasm"))]
use std::io::Write as _;
#[cfg(not(target_family = "wasm"))]
use std::path::{Path, PathBuf};

use egui::Context;
#[cfg(not(target_family = "wasm"))]
use egui::OpenUrl;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

#[cfg(not(target_family = "wasm"))]
use touchback_core::files::folder::NewFolder;

/// The pages and the names in links to them.
const PAGES: [(&str, &str); 8] = [
    ("playing.md", include_str!("../../../../docs/manual/playing.md")),
    ("tuning.md", include_str!("../../../../docs/manual/tuning.md")),
    ("presets.md", include_str!("../../../../docs/manual/presets.md")),
    ("positions.md", include_str!("../../../../docs/manual/positions.md")),
    ("window.md", include_str!("../../../../docs/window.md")),
    ("speed.md", include_str!("../../../../docs/manual/speed.md")),
    ("troubleshooting.md", include_str!("../../../../docs/manual/troubleshooting.md")),
    ("parameters.md", include_str!("../../../../docs/parameters.md")),
];

/// A style with readable lines in the browser's light and dark colours.
const STYLE: &str = "html { color-scheme: light dark; } \
    body { font: 1rem/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; } \
    table { border-collapse: collapse; } \
    th, td { border: 1px solid #8886; padding: .2rem .5rem; text-align: left; vertical-align: top; } \
    pre { overflow-x: auto; } h1 { margin-top: 3rem; }";

/// Hands the page to the browser.
#[cfg(target_family = "wasm")]
pub fn open(_context: &Context) -> io::Result<()> {
    crate::state::downloads::put("manual.html".into(), whole_page().into_bytes());
    Ok(())
}

/// Writes the page and opens it in the browser.
///
/// # Errors
/// Those of the file system.
#[cfg(not(target_family = "wasm"))]
pub fn open(context: &Context) -> io::Result<()> {
    let page = write()?;
    context.open_url(OpenUrl::new_tab(page.display()));
    Ok(())
}

/// Writes the page to the user's cache folder, or, for a user without a home, under a new name to the
/// folder of temporary files; returns its path.
///
/// # Errors
/// Those of the file system.
#[cfg(not(target_family = "wasm"))]
fn write() -> io::Result<PathBuf> {
    match dirs::cache_dir() {
        Some(caches) => write_to(&caches.join("Touchback")),
        None => {
            let (_, page) = new_file(&std::env::temp_dir())?.keep().map_err(|e| e.error)?;
            Ok(page)
        }
    }
}

/// Writes the page to `folder`, which is created, in place of an earlier page or a link.
#[cfg(not(target_family = "wasm"))]
fn write_to(folder: &Path) -> io::Result<PathBuf> {
    let page = folder.join(concat!("manual-", env!("CARGO_PKG_VERSION"), ".html"));
    let new = NewFolder::create(folder)?;
    new_file(folder)?.persist(&page).map_err(|e| e.error)?;
    new.keep();
    Ok(page)
}

/// Writes the page to a new file with an unpredictable name, which only this user can write.
#[cfg(not(target_family = "wasm"))]
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut file =
        tempfile::Builder::new().prefix("touchback-manual-").suffix(".html").tempfile_in(folder)?;
    file.write_all(whole_page().as_bytes())?;
    Ok(file)
}

/// All pages, after a table of contents.
fn whole_page() -> String {
    let (mut contents, mut body) = (String::new(), String::new());
    for (name, text) in PAGES {
        let events = linked(name, Parser::new_ext(text, Options::ENABLE_TABLES).collect());
        let title = heading_text(events.get(1..).unwrap_or_default());
        contents += &format!("<li><a href=\"#{}\">{title}</a></li>\n", stem(name));
        html::push_html(&mut body, events.into_iter());
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Touchback</title>\n\
         <style>{STYLE}</style></head>\n<body><h1>Touchback {}</h1>\n<ol>\n{contents}</ol>\n{body}\
         </body></html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn stem(name: &str) -> &str {
    name.trim_end_matches(".md")
}

/// The `events` of page `name` with anchors at its headings and links to anchors; without pictures, and
/// without links to other documents.
fn linked<'a>(name: &str, events: Vec<Event<'a>>) -> Vec<Event<'a>> {
    let (mut out, mut pictures, mut link) = (Vec::with_capacity(events.len()), 0, None);
    for (at, event) in events.iter().enumerate() {
        match event.clone() {
            Event::Start(Tag::Image { .. }) => pictures += 1,
            Event::End(TagEnd::Image) => pictures -= 1,
            _ if pictures > 0 => {}
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let title = heading_text(&events[at + 1..]);
                let first = level == pulldown_cmark::HeadingLevel::H1;
                let id = if first { stem(name).to_owned() } else { mark(name, &slug(&title)) };
                let id = Some(CowStr::from(id));
                out.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                link = target(name, &dest_url);
                if let Some(to) = &link {
                    let dest_url = CowStr::from(format!("#{to}"));
                    out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
            }
            Event::End(TagEnd::Link) => out.extend(link.take().map(|_| event.clone())),
            other => out.push(other),
        }
    }
    out
}

/// The text of the heading whose content `events` begin with.
fn heading_text(events: &[Event]) -> String {
    let inside = events.iter().take_while(|e| !matches!(e, Event::End(TagEnd::Heading(_))));
    inside
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(&**text),
            _ => None,
        })
        .collect()
}

/// A heading's name in links.
fn slug(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-'].contains(c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn mark(page: &str, slug: &str) -> String {
    format!("{}-{slug}", stem(page))
}

/// The anchor of a link on page `from`, if it is on this page.
fn target(from: &str, link: &str) -> Option<String> {
    let (path, slug) = link.split_once('#').map_or((link, None), |(path, s)| (path, Some(s)));
    let file = if path.is_empty() { from } else { path.rsplit('/').next()? };
    let page = PAGES.iter().map(|(name, _)| *name).find(|name| *name == file)?;
    Some(slug.map_or_else(|| stem(page).to_owned(), |slug| mark(page, slug)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn every_link_of_the_page_leads_to_an_anchor_on_it() {
        let page = whole_page();
        let after = |start: &str| -> Vec<String> {
            let parts = page.split(start).skip(1);
            parts.map(|part| part.split('"').next().unwrap().to_owned()).collect()
        };
        let (links, marks) = (after("href=\""), after(" id=\""));
        assert!(links.len() > PAGES.len());
        for link in links {
            let to = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads away"));
            assert_eq!(marks.iter().filter(|mark| *mark == to).count(), 1, "{link}");
        }
        assert!(page.contains("#playing-your-keyboards-velocities") && !page.contains("<img"));
    }

    #[test]
    fn a_second_call_writes_the_page_again() {
        let work = tempfile::tempdir().unwrap();
        let folder = work.path().join("not yet there");
        let first = write_to(&folder).unwrap();
        fs::write(&first, "torn").unwrap();
        assert_eq!(write_to(&folder).unwrap(), first);
        assert!(fs::read_to_string(&first).unwrap().ends_with("</html>\n"));
        #[cfg(unix)]
        {
            // A symbolic link in place of the page is replaced, not followed.
            let other = work.path().join("another's");
            fs::write(&other, "kept").unwrap();
            fs::remove_file(&first).unwrap();
            std::os::unix::fs::symlink(&other, &first).unwrap();
            write_to(&folder).unwrap();
            assert_eq!(fs::read_to_string(&other).unwrap(), "kept");
            assert!(first.symlink_metadata().unwrap().is_file());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let file = work.path().join("a file");
        fs::write(&file, "").unwrap();
        assert!(write_to(&file).is_err());
    }
}
