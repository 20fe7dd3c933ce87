// The form engine. It converts between objects and the JSON text that the WebAssembly module takes and returns.
import init, { Form as Compiled } from "./leadapi_form_wasm.js";

/** Loads the module. In Node.js, pass its bytes. */
export async function load(module) {
  await init(module === undefined ? undefined : { module_or_path: module });
}

/** A compiled form. */
export class Form {
  #form;

  constructor(record, { version = "live", locale } = {}) {
    this.#form = Compiled.compile(text(record), version === "draft", locale);
  }

  /** The version that was compiled. A form that was never published has only a draft. */
  get version() {
    return this.#form.version();
  }

  /** Walks through the form with these answers. */
  walk(answers = {}, { fallback = "" } = {}) {
    return JSON.parse(this.#form.walk(text(answers), fallback));
  }

  /** Checks the form. */
  check() {
    return JSON.parse(this.#form.check());
  }

  /** Frees the memory of the form at once, instead of when the garbage collector finds it. */
  free() {
    this.#form.free();
  }
}

function text(json) {
  return typeof json === "string" ? json : JSON.stringify(json);
}
