//! The plugin's motorized keyboard, by the plugin's own extension.

use std::ffi::{CStr, c_char};

use anyhow::{Context as _, Result};
use clack_host::extensions::prelude::*;

use super::Host;
use touchback_haptics::connection::Choice;
use touchback_haptics::connection::host_interface::{HostInterface, ID, KeyboardState};

/// The extension of one instance.
#[derive(Clone, Copy)]
struct PluginKeyboard(RawExtension<PluginExtensionSide, HostInterface>);

// SAFETY: the plugin's table under this name is a `HostInterface`.
unsafe impl Extension for PluginKeyboard {
    const IDENTIFIERS: &[&CStr] = &[ID];
    type ExtensionSide = PluginExtensionSide;

    unsafe fn from_raw(raw: RawExtension<Self::ExtensionSide>) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { raw.cast() })
    }
}

impl Host {
    /// Loads the plugin's own state with another choice of keyboard, as from a project.
    ///
    /// # Errors
    /// When the plugin does not save or load its state.
    pub fn choose_keyboard(&mut self, choice: &Choice) -> Result<()> {
        let state = self.save()?;
        // The framework's state: the length of a JSON text, and the text.
        let mut json: serde_json::Value =
            serde_json::from_slice(state.get(8..).context("the plugin's state is too short")?)?;
        json["fields"]["keyboard"] = choice.text().into();
        let text = serde_json::to_vec(&json)?;
        let mut changed = (text.len() as u64).to_le_bytes().to_vec();
        changed.extend(text);
        self.restore(&changed)
    }

    /// Arms or disarms the motors of the plugin's keyboard.
    ///
    /// # Errors
    /// When the plugin lacks the extension.
    pub fn arm(&mut self, is_on: bool) -> Result<()> {
        let extension = self.keyboard_extension()?;
        let plugin = self.instance.plugin_handle();
        let arm = plugin.use_extension(&extension.0).arm;
        // SAFETY: the plugin's function, on the main thread.
        unsafe { arm(plugin.as_raw_ptr().cast(), is_on) };
        Ok(())
    }

    /// State of the plugin's keyboard.
    ///
    /// # Errors
    /// When the plugin lacks the extension.
    pub fn keyboard(&mut self) -> Result<KeyboardState> {
        let extension = self.keyboard_extension()?;
        let plugin = self.instance.plugin_handle();
        let state = plugin.use_extension(&extension.0).state;
        let mut text = vec![0u8; 16_384];
        let capacity = u32::try_from(text.len())?;
        // SAFETY: the plugin's function, on the main thread; it writes at most `capacity` bytes.
        let length = unsafe {
            state(plugin.as_raw_ptr().cast(), text.as_mut_ptr().cast::<c_char>(), capacity)
        };
        text.truncate(usize::try_from(length)?);
        serde_json::from_slice(&text).context("the state of the plugin's keyboard")
    }

    fn keyboard_extension(&self) -> Result<PluginKeyboard> {
        let shared = self.instance.plugin_shared_handle();
        shared.get_extension().context("the plugin has no motorized keyboard")
    }
}
