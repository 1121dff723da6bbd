//! The plugin as VST3 hosts know it: the framework's wrapper behind a catch, but for what processes.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use nice_plug::prelude::nice_log;
use nice_plug::wrapper::vst3::Wrapper;
use nice_plug::wrapper::vst3::vst3::Class;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::ChannelContext::{
    IInfoListener, IInfoListenerTrait,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    BusDirection, BusDirections_, BusInfo, IAttributeList, IAudioProcessor, IAudioProcessorTrait,
    IComponent, IComponentTrait, IEditController, IMidiMapping, INoteExpressionController,
    IProcessContextRequirements, IProcessContextRequirementsTrait, IUnitInfo, IoMode, MediaType,
    MediaTypes_, ParamID, ProcessData, ProcessSetup, RoutingInfo, SpeakerArrangement, String128,
    SymbolicSampleSizes_,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{
    FUnknown, IBStream, IPluginBaseTrait, TBool, TUID, int32, kInvalidArgument, kNotInitialized,
    kResultFalse, kResultOk, tresult, uint32,
};

use super::block::{self, BlockFeeder};
use super::framework::{controller_ids, units};
use super::menu;
use super::stream::Stream;
use crate::editor::host_menu::HostMenu;
use crate::guard::{Guard, catch};
use crate::host_window::WindowThread;
use crate::part::{CHANNELS, OUTPUTS};
use crate::pending_parts;
use crate::plugin::Touchback;
use touchback_core::exchange::lock::lock;

/// One plugin.
pub(super) struct Component {
    pub(super) framework: ManuallyDrop<Wrapper<Touchback>>,
    /// `setupProcessing` has named rate and block size.
    is_set_up: AtomicBool,
    is_active: AtomicBool,
    /// The host activated before it set up: done as soon as it has.
    is_wished_active: AtomicBool,
    /// What stands behind a parameter's number: part of its text here, while the field that VST3 has for it
    /// stays empty. Some hosts show the text alone, others both.
    pub(super) units: Vec<(ParamID, String128)>,
    pub(super) menu: Arc<HostMenu>,
    pub(super) view: menu::View,
    pub(super) window: Arc<WindowThread>,
    /// What keeps a panic from the host.
    guard: Arc<Guard>,
    /// Blocks that came while another thread processed or activated.
    locked_out: AtomicU64,
    /// Of the thread that processes; others try it and give up, or wait on the main thread.
    feeder: Mutex<BlockFeeder>,
}

impl Class for Component {
    type Interfaces = (
        IComponent,
        IEditController,
        IAudioProcessor,
        IMidiMapping,
        INoteExpressionController,
        IProcessContextRequirements,
        IUnitInfo,
        IInfoListener,
    );
}

impl Component {
    pub(super) fn new() -> Self {
        let framework = Wrapper::new();
        let pending_parts::Parts { menu, guard } = pending_parts::take();
        let controllers = controller_ids(&framework);
        let units = units(&framework);
        Self {
            framework: ManuallyDrop::new(framework),
            units,
            menu,
            guard,
            view: menu::View::default(),
            window: Arc::default(),
            locked_out: AtomicU64::new(0),
            is_set_up: AtomicBool::new(false),
            is_active: AtomicBool::new(false),
            is_wished_active: AtomicBool::new(false),
            feeder: Mutex::new(BlockFeeder::new(controllers)),
        }
    }

    /// Ends the time in which blocks are played, and waits for the one that is; forgets what waits
    /// for the next and says what was left out.
    fn rest(&self) {
        self.is_active.store(false, Ordering::Release);
        let left_out = lock(&self.feeder).forget();
        if left_out > 0 {
            nice_log!("Touchback left out {left_out} events, more than there was room for");
        }
        let locked_out = self.locked_out.swap(0, Ordering::Relaxed);
        if locked_out > 0 {
            nice_log!("Touchback was silent for {locked_out} blocks that came beside other calls");
        }
    }

    /// # Safety
    /// As `setActive`.
    unsafe fn switch(&self, state: TBool) -> tresult {
        self.rest();
        // SAFETY: as the host called it.
        let set = || unsafe { IComponentTrait::setActive(&*self.framework, state) };
        if state == 0 {
            // Of a plugin that has failed too.
            return catch(kResultFalse, set);
        }
        let answer = self.guard.run(kResultFalse, set);
        if answer == kResultOk {
            lock(&self.feeder).set_outputs(self.outputs());
            self.is_active.store(true, Ordering::Release);
        }
        answer
    }

    /// Outputs of the layout in force.
    fn outputs(&self) -> int32 {
        // SAFETY: the wrapper counts.
        unsafe {
            let (media, direction) = (MediaTypes_::kAudio, BusDirections_::kOutput);
            IComponentTrait::getBusCount(&*self.framework, number(media), number(direction))
        }
    }

    /// # Safety
    /// What the block points at is null or valid, as VST3 says.
    unsafe fn play(&self, data: &ProcessData) -> tresult {
        if !self.is_set_up.load(Ordering::Acquire) {
            return kNotInitialized;
        }
        let Ok(frames) = u32::try_from(data.numSamples) else { return kInvalidArgument };
        let precision = i64::from(data.symbolicSampleSize);
        if frames > 0 && precision != i64::from(SymbolicSampleSizes_::kSample32) {
            return kInvalidArgument;
        }
        let Ok(mut feeder) = self.feeder.try_lock() else {
            self.locked_out.fetch_add(1, Ordering::Relaxed);
            return kResultFalse;
        };
        // SAFETY: each part is one that the wrapper stands; the buffers are the host's.
        let process = |part: &mut ProcessData| unsafe {
            IAudioProcessorTrait::process(&*self.framework, part)
        };
        if frames == 0 {
            // SAFETY: the caller's promise.
            return unsafe { feeder.flush(data, process) };
        }
        // Asked with the feeder: who ends the time of blocks waits for it after that.
        if !self.is_active.load(Ordering::Acquire) {
            return kNotInitialized;
        }
        // SAFETY: the caller's promise.
        unsafe { feeder.feed(data, frames, process) }
    }
}

impl Drop for Component {
    fn drop(&mut self) {
        // What has failed, or has a window on another thread, is left alone rather than taken apart.
        if !self.guard.is_broken() && self.window.is_free_or_here() {
            // SAFETY: nothing uses it from here on.
            catch((), || unsafe { ManuallyDrop::drop(&mut self.framework) });
        }
    }
}

/// One of VST3's names as its functions take it.
fn number(name: impl Into<i64>) -> int32 {
    int32::try_from(name.into()).unwrap_or(-1)
}

/// Functions that the wrapper answers, with what they answer where it panics.
macro_rules! pass_on {
    ($interface:ident: $(
        fn $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty $(= $failed:expr)?;
    )*) => {$(
        unsafe fn $name(&self, $($argument: $kind),*) -> $answer {
            let failed = pass_on!(@failed $($failed)?);
            // SAFETY: as the host called it.
            catch(failed, || unsafe { $interface::$name(&*self.framework, $($argument),*) })
        }
    )*};
    (@failed) => { kResultFalse };
    (@failed $failed:expr) => { $failed };
}

pub(super) use pass_on;

impl IPluginBaseTrait for Component {
    pass_on! { IPluginBaseTrait:
        fn initialize(context: *mut FUnknown) -> tresult;
    }

    unsafe fn terminate(&self) -> tresult {
        catch(kResultFalse, || {
            // The host's handler may go.
            self.menu.set(None);
            // SAFETY: as the host called it.
            unsafe { IPluginBaseTrait::terminate(&*self.framework) }
        })
    }
}

impl IComponentTrait for Component {
    pass_on! { IComponentTrait:
        fn getControllerClassId(class: *mut TUID) -> tresult;
        fn setIoMode(mode: IoMode) -> tresult;
        fn getBusCount(media: MediaType, direction: BusDirection) -> int32 = 0;
        fn getBusInfo(
            media: MediaType, direction: BusDirection, index: int32, info: *mut BusInfo
        ) -> tresult;
        fn getRoutingInfo(input: *mut RoutingInfo, output: *mut RoutingInfo) -> tresult;
        fn activateBus(
            media: MediaType, direction: BusDirection, index: int32, state: TBool
        ) -> tresult;
    }

    unsafe fn setActive(&self, state: TBool) -> tresult {
        self.is_wished_active.store(state != 0, Ordering::Release);
        if state != 0 && !self.is_set_up.load(Ordering::Acquire) {
            return kResultOk;
        }
        // SAFETY: as the host called it.
        catch(kResultFalse, || unsafe { self.switch(state) })
    }

    unsafe fn setState(&self, state: *mut IBStream) -> tresult {
        // SAFETY: the host's pointer.
        let Some(state) = (unsafe { Stream::new(state) }) else { return kInvalidArgument };
        // SAFETY: the stream outlives the call.
        catch(kResultFalse, || unsafe {
            IComponentTrait::setState(&*self.framework, state.as_stream())
        })
    }

    unsafe fn getState(&self, state: *mut IBStream) -> tresult {
        // SAFETY: the host's pointer.
        let Some(state) = (unsafe { Stream::new(state) }) else { return kInvalidArgument };
        // SAFETY: the stream outlives the call.
        let answer = catch(kResultFalse, || unsafe {
            IComponentTrait::getState(&*self.framework, state.as_stream())
        });
        // The wrapper does not look whether the host took all of it.
        if state.is_whole() { answer } else { kResultFalse }
    }
}

impl IAudioProcessorTrait for Component {
    pass_on! { IAudioProcessorTrait:
        fn getBusArrangement(
            direction: BusDirection, index: int32, arrangement: *mut SpeakerArrangement
        ) -> tresult;
        fn canProcessSampleSize(size: int32) -> tresult;
        fn getLatencySamples() -> uint32 = 0;
        fn getTailSamples() -> uint32 = 0;
    }

    unsafe fn setBusArrangements(
        &self,
        _inputs: *mut SpeakerArrangement,
        input_count: int32,
        outputs: *mut SpeakerArrangement,
        output_count: int32,
    ) -> tresult {
        let Ok(count) = usize::try_from(output_count) else { return kInvalidArgument };
        if outputs.is_null() || input_count < 0 {
            return kInvalidArgument;
        }
        // The layout of an active plugin holds, as VST3 says.
        if input_count > 0 || count > OUTPUTS || self.is_active.load(Ordering::Acquire) {
            return kResultFalse;
        }
        // SAFETY: the host's list. The wrapper takes the first arrangement for the second's.
        let wanted = unsafe { std::slice::from_raw_parts(outputs, count) };
        if wanted.iter().any(|speakers| usize::try_from(speakers.count_ones()) != Ok(CHANNELS)) {
            return kResultFalse;
        }
        // The wrapper wants a list of inputs also where there are none.
        let mut none = 0;
        // SAFETY: the lists, which are not written.
        catch(kResultFalse, || unsafe {
            let framework = &*self.framework;
            IAudioProcessorTrait::setBusArrangements(
                framework,
                &raw mut none,
                0,
                outputs,
                output_count,
            )
        })
    }

    unsafe fn setupProcessing(&self, setup: *mut ProcessSetup) -> tresult {
        catch(kResultFalse, || {
            // SAFETY: the host's pointer.
            let answer = unsafe { IAudioProcessorTrait::setupProcessing(&*self.framework, setup) };
            if answer == kResultOk {
                self.is_set_up.store(true, Ordering::Release);
                if self.is_wished_active.load(Ordering::Acquire)
                    && !self.is_active.load(Ordering::Acquire)
                {
                    // SAFETY: as the host has asked for.
                    return unsafe { self.switch(1) };
                }
            }
            answer
        })
    }

    unsafe fn setProcessing(&self, state: TBool) -> tresult {
        self.guard.run(kResultFalse, || {
            // The wrapper asks the standard library for the thread at a parameter's change, which
            // allocates the first time on each thread: here, not in `process`.
            drop(std::thread::current());
            if state != 0 {
                if !self.is_active.load(Ordering::Acquire) {
                    return kNotInitialized;
                }
                if let Ok(mut feeder) = self.feeder.try_lock() {
                    feeder.silence();
                }
            }
            // SAFETY: as the host called it.
            unsafe { IAudioProcessorTrait::setProcessing(&*self.framework, state) }
        })
    }

    unsafe fn process(&self, data: *mut ProcessData) -> tresult {
        if data.is_null() || !data.is_aligned() {
            return kInvalidArgument;
        }
        // SAFETY: the host's block, valid while it waits for this call.
        let data = unsafe { &*data };
        // SAFETY: as above.
        let status = self.guard.run(kResultFalse, || unsafe { self.play(data) });
        if status != kResultOk {
            // SAFETY: as above.
            catch((), || unsafe { block::silence(data) });
        }
        status
    }
}

impl IProcessContextRequirementsTrait for Component {
    pass_on! { IProcessContextRequirementsTrait:
        fn getProcessContextRequirements() -> uint32 = 0;
    }
}

impl IInfoListenerTrait for Component {
    pass_on! { IInfoListenerTrait:
        fn setChannelContextInfos(list: *mut IAttributeList) -> tresult;
    }
}
