// The search runs in a Worker, which browsers refuse to a page that is opened from a folder.
// There it runs in a hidden frame instead, which looks the same to the page.
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.setAttribute("aria-hidden", "true");
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.waiting = [];
      this.ready = false;
      this.inside.postMessage = (message) => this.dispatchEvent(new MessageEvent("message", { data: message }));
      this.inside.importScripts = async (...addresses) => {
        for (const each of addresses) await this.load(each);
      };
      this.load(new URL(address, location).href).then(() => {
        this.ready = true;
        this.waiting.splice(0).forEach((message) => this.tell(message));
      });
    }

    load(address) {
      return new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script");
        script.src = address;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`cannot load ${address}`));
        this.inside.document.head.appendChild(script);
      });
    }

    tell(message) {
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data: message }));
    }

    postMessage(message) {
      if (this.ready) this.tell(message);
      else this.waiting.push(message);
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  }
  window.IFrameWorker = FrameWorker;
  window.Worker = FrameWorker;
}
