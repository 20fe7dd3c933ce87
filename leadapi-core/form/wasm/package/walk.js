// The form engine without checks, for pages that visitors see.
import { bind } from "./form.js";
import init, { Form as Compiled } from "./leadapi_form_walk.js";

export const { load, Form } = bind(init, Compiled);
