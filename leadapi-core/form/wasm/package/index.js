// The form engine with checks, for form editors and servers.
import { bind } from "./form.js";
import init, { Form as Compiled } from "./leadapi_form_wasm.js";

export const { load, Form } = bind(init, Compiled);
