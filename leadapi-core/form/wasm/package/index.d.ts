import type { Answers, Form as WalkedForm } from "./walk.js";

export type { Answer, Answers, Ending, Problem, Step, Walk } from "./walk.js";
export { load } from "./walk.js";

/** A compiled form. Call `load` first. */
export class Form extends WalkedForm {
  /** Checks the form. The most severe findings come first. */
  check(): Finding[];
}

export interface Finding {
  code: string;
  severity: "error" | "warning" | "note";
  /** A JSON pointer into the record. */
  pointer: string;
  message: string;
  /** How to correct the form. */
  fix: string;
  /** Answers that demonstrate the finding. */
  witness: Answers | null;
  count: number;
}
