// The classes of both modules. They convert between objects and the JSON text that a module takes and returns.

/** Returns `load` and `Form` for a module: its initialization, and the class that it exports. */
export function bind(init, Compiled) {
  async function load(module) {
    await init(module === undefined ? undefined : { module_or_path: module });
  }

  class Form {
    #form;

    constructor(record, { version = "live", locale } = {}) {
      this.#form = Compiled.compile(text(record), version === "draft", locale);
    }

    get version() {
      return this.#form.version();
    }

    walk(answers = {}, { fallback = "" } = {}) {
      return JSON.parse(this.#form.walk(text(answers), fallback));
    }

    free() {
      this.#form.free();
    }

    static {
      // The module that only walks has no checks.
      if (Compiled.prototype.check) {
        this.prototype.check = function check() {
          return JSON.parse(this.#form.check());
        };
      }
    }
  }

  return { load, Form };
}

function text(json) {
  return typeof json === "string" ? json : JSON.stringify(json);
}
