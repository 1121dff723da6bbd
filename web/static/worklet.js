// The piano in the browser's audio worklet: passes samples and messages between the browser and the module
// `touchback_web_audio`.

const seconds = () => (globalThis.performance ?? Date).now() / 1000;

class Piano extends AudioWorkletProcessor {
  constructor(options) {
    super();
    const { module, messages = [] } = options.processorOptions;
    const imports = { worklet: { seconds } };
    this.piano = new WebAssembly.Instance(new WebAssembly.Module(module), imports).exports;
    this.piano.begin(sampleRate);
    messages.forEach((bytes) => this.receive(bytes));
    this.port.onmessage = (event) => this.receive(event.data);
    this.port.postMessage("ready");
  }

  receive(bytes) {
    const at = this.piano.incoming(bytes.length);
    new Uint8Array(this.piano.memory.buffer, at, bytes.length).set(bytes);
    this.piano.receive();
  }

  process(_inputs, [output]) {
    const frames = this.piano.render(output[0].length);
    output.forEach((channel, side) => {
      channel.set(new Float32Array(this.piano.memory.buffer, this.piano.channel(side), frames));
    });
    const length = this.piano.collect();
    if (length > 0) {
      const bytes = new Uint8Array(this.piano.memory.buffer, this.piano.outgoing(), length).slice();
      this.port.postMessage(bytes, [bytes.buffer]);
    }
    return true;
  }
}

registerProcessor("touchback", Piano);
