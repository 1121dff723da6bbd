//! The plugin as VST3 hosts see it: the framework's wrapper behind a catch of panics, with checked blocks,
//! states and layouts.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use nice_plug::prelude::nice_log;
use nice_plug::wrapper::vst3::Wrapper;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::ChannelContext::{
    IInfoListener, IInfoListenerTrait,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    BusDirection, BusDirections_, BusInfo, IAttributeList, IAudioProcessor, IAudioProcessorTrait,
    IComponent, IComponentHandler, IComponentHandlerTrait, IComponentTrait, IEditController,
    IMidiMapping, INoteExpressionController, IProcessContextRequirements,
    IProcessContextRequirementsTrait, IUnitInfo, IoMode, MediaType, MediaTypes_, ProcessData,
    ProcessSetup, RestartFlags_, RoutingInfo, SpeakerArrangement, SymbolicSampleSizes_,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{
    FUnknown, IBStream, IPluginBaseTrait, TBool, TUID, int32, kInvalidArgument, kNotInitialized,
    kResultFalse, kResultOk, tresult, uint32,
};
use nice_plug::wrapper::vst3::vst3::{Class, ComPtr};

use super::block::{self, BlockFeeder};
use super::framework::controller_ids;
use super::menu;
use super::stream::Stream;
use super::unprocessed::Unprocessed;
use crate::guard::{Guard, catch};
use crate::host_channels::{CHANNELS, OUTPUTS};
use crate::host_menu::HostMenu;
use crate::host_window::WindowThread;
use crate::pending_parts;
use crate::plugin::Touchback;
use touchback_core::exchange::lock::lock;

/// One plugin instance.
pub(super) struct Component {
    pub(super) framework: ManuallyDrop<Wrapper<Touchback>>,
    /// `setupProcessing` has set sample rate and block size.
    is_set_up: AtomicBool,
    is_active: AtomicBool,
    /// The host requested activation. Before set-up, the request waits for `setupProcessing`.
    is_active_requested: AtomicBool,
    /// The host's handler of changes.
    pub(super) handler: Mutex<Option<ComPtr<IComponentHandler>>>,
    pub(super) menu: Arc<HostMenu>,
    pub(super) view: menu::View,
    pub(super) window: Arc<WindowThread>,
    /// Keeps panics from the host.
    guard: Arc<Guard>,
    /// Values set on the controller since the last block.
    pub(super) unprocessed: Unprocessed,
    /// Blocks left silent because another thread processed or activated.
    locked_out: AtomicU64,
    /// Locked by the thread that processes. Other threads try the lock once; the main thread waits.
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
        let pending_parts::Parts { menu, guard, params, .. } = pending_parts::take();
        let controllers = controller_ids(&framework);
        Self {
            framework: ManuallyDrop::new(framework),
            handler: Mutex::default(),
            menu,
            guard,
            view: menu::View::default(),
            window: Arc::default(),
            unprocessed: Unprocessed::new(params),
            locked_out: AtomicU64::new(0),
            is_set_up: AtomicBool::new(false),
            is_active: AtomicBool::new(false),
            is_active_requested: AtomicBool::new(false),
            feeder: Mutex::new(BlockFeeder::new(controllers)),
        }
    }

    /// Stops processing: waits for the current block, drops the deferred messages and logs how many
    /// messages were lost and blocks left silent.
    fn stop(&self) {
        self.is_active.store(false, Ordering::Release);
        let lost = lock(&self.feeder).reset();
        if lost > 0 {
            nice_log!("Touchback lost {lost} events for want of room");
        }
        let locked_out = self.locked_out.swap(0, Ordering::Relaxed);
        if locked_out > 0 {
            nice_log!("Touchback was silent for {locked_out} blocks that overlapped other calls");
        }
    }

    /// Activates or deactivates the wrapper.
    ///
    /// # Safety
    /// As for `setActive`.
    unsafe fn set_active(&self, state: TBool) -> tresult {
        self.stop();
        // SAFETY: as the host called it.
        let set = || unsafe { IComponentTrait::setActive(&*self.framework, state) };
        if state == 0 {
            // A plugin that has panicked is deactivated too.
            return catch(kResultFalse, set);
        }
        let answer = self.guard.run(kResultFalse, set);
        if answer == kResultOk {
            lock(&self.feeder).set_outputs(self.outputs());
            self.is_active.store(true, Ordering::Release);
        }
        answer
    }

    /// Tells the host that values of parameters that it did not set have changed. Main thread.
    fn announce_values(&self) {
        // Not locked during the call, in which the host may set another handler.
        let handler = lock(&self.handler).clone();
        if let Some(handler) = handler {
            // SAFETY: the host's handler, on the thread on which it loads a state.
            unsafe { handler.restartComponent(RestartFlags_::kParamValuesChanged) };
        }
    }

    /// Outputs of the current layout.
    fn outputs(&self) -> int32 {
        // SAFETY: numbers alone.
        unsafe {
            let (media, direction) = (MediaTypes_::kAudio, BusDirections_::kOutput);
            IComponentTrait::getBusCount(&*self.framework, number(media), number(direction))
        }
    }

    /// Processes a block.
    ///
    /// # Safety
    /// The block's pointers are null or valid, as VST3 requires.
    unsafe fn process_block(&self, data: &ProcessData) -> tresult {
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
        // SAFETY: the feeder's parts are valid for the wrapper; the buffers are the host's.
        let process = |part: &mut ProcessData| unsafe {
            IAudioProcessorTrait::process(&*self.framework, part)
        };
        if frames == 0 {
            // SAFETY: the caller's promise.
            return unsafe { feeder.flush(data, process) };
        }
        // Checked under the lock: `stop` clears the flag before it waits for the feeder.
        if !self.is_active.load(Ordering::Acquire) {
            return kNotInitialized;
        }
        // SAFETY: the caller's promise.
        unsafe { feeder.feed(data, frames, process) }
    }
}

impl Drop for Component {
    fn drop(&mut self) {
        // A plugin that has panicked, or has a window on another thread, is leaked: its destructors might
        // fail.
        if !self.guard.is_broken() && self.window.is_free_or_here() {
            // SAFETY: nothing uses the wrapper from here on.
            catch((), || unsafe { ManuallyDrop::drop(&mut self.framework) });
        }
    }
}

/// A constant of VST3 in the type that its functions take.
fn number(name: impl Into<i64>) -> int32 {
    int32::try_from(name.into()).unwrap_or(-1)
}

/// Functions that call the wrapper's, each with its result after a panic.
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
            // The host's handler may be released.
            self.menu.set(None);
            *lock(&self.handler) = None;
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
        self.is_active_requested.store(state != 0, Ordering::Release);
        if state != 0 && !self.is_set_up.load(Ordering::Acquire) {
            return kResultOk;
        }
        // SAFETY: as the host called it.
        catch(kResultFalse, || unsafe { self.set_active(state) })
    }

    unsafe fn setState(&self, state: *mut IBStream) -> tresult {
        // SAFETY: the host's pointer.
        let Some(state) = (unsafe { Stream::new(state) }) else { return kInvalidArgument };
        // SAFETY: the stream outlives the call.
        catch(kResultFalse, || unsafe {
            self.unprocessed.clear();
            let answer = IComponentTrait::setState(&*self.framework, state.as_stream());
            if answer == kResultOk {
                // The wrapper leaves this out. Hosts that keep values of their own would set them again.
                self.announce_values();
            }
            answer
        })
    }

    unsafe fn getState(&self, state: *mut IBStream) -> tresult {
        // SAFETY: the host's pointer.
        let Some(state) = (unsafe { Stream::new(state) }) else { return kInvalidArgument };
        // SAFETY: the stream outlives the call.
        let answer = catch(kResultFalse, || unsafe {
            self.unprocessed.apply();
            IComponentTrait::getState(&*self.framework, state.as_stream())
        });
        // The wrapper does not check whether the host wrote all bytes.
        if state.is_complete() { answer } else { kResultFalse }
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
        // VST3: an active plugin keeps its layout.
        if input_count > 0 || count > OUTPUTS || self.is_active.load(Ordering::Acquire) {
            return kResultFalse;
        }
        // SAFETY: the host's list. The check is needed because the wrapper reads the first output's
        // arrangement for the second's.
        let wanted = unsafe { std::slice::from_raw_parts(outputs, count) };
        if wanted.iter().any(|speakers| usize::try_from(speakers.count_ones()) != Ok(CHANNELS)) {
            return kResultFalse;
        }
        // The wrapper requires a non-null list of inputs even for none.
        let mut none = 0;
        // SAFETY: the lists are valid; the wrapper only reads them.
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
                if self.is_active_requested.load(Ordering::Acquire)
                    && !self.is_active.load(Ordering::Acquire)
                {
                    // SAFETY: as the host requested in `setActive`.
                    return unsafe { self.set_active(1) };
                }
            }
            answer
        })
    }

    unsafe fn setProcessing(&self, state: TBool) -> tresult {
        self.guard.run(kResultFalse, || {
            // At a parameter's change the wrapper reads the current thread, which allocates at the first
            // call on each thread: this call comes before `process`.
            drop(std::thread::current());
            if state != 0 {
                if !self.is_active.load(Ordering::Acquire) {
                    return kNotInitialized;
                }
                if let Ok(mut feeder) = self.feeder.try_lock() {
                    feeder.clear();
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
        let status = self.guard.run(kResultFalse, || unsafe { self.process_block(data) });
        self.unprocessed.processed();
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
