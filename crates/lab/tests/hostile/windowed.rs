//! The same with the plugin's window open. Needs an X server with OpenGL, as `xvfb-run` gives.

use touchback::math::random::Random;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};
use x11rb::rust_connection::RustConnection;

use crate::harass;
use crate::host::Instance;

/// A window for a plugin to live in.
fn parent(x: &RustConnection, screen: usize) -> u32 {
    let (window, root) = (x.generate_id().unwrap(), x.setup().roots[screen].root);
    let (class, aux) = (WindowClass::INPUT_OUTPUT, CreateWindowAux::new().override_redirect(1));
    x.create_window(0, window, root, 0, 0, 1180, 760, 0, class, 0, &aux).unwrap();
    x.map_window(window).unwrap();
    x.get_input_focus().unwrap().reply().unwrap();
    window
}

#[test]
fn a_host_without_windows_gets_none() {
    assert!(!Instance::active().has_window());
    assert!(Instance::to_be_shown().has_window());
}

#[test]
fn a_random_host_does_no_harm_with_the_window_open() {
    let Ok((x, screen)) = RustConnection::connect(None) else {
        println!("skipped: no X server");
        return;
    };
    let end = crate::end();
    let mut seed = 0;
    while std::time::Instant::now() < end {
        seed += 1;
        let mut random = Random::new(1_000 + seed);
        let window = parent(&x, screen);
        let instance = Instance::to_be_shown();
        instance.open_window(window);
        for part in 0..3 {
            harass(&instance, &mut random, seed);
            if part == 1 {
                instance.close_window();
                instance.open_window(window);
            }
        }
        instance.close_window();
        drop(instance);
        x.destroy_window(window).unwrap();
        x.flush().unwrap();
    }
    println!("{} blocks of {seed} instances with a window", 120 * seed);
}
