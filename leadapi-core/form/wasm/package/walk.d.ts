/** The form engine without checks, for pages that visitors see. `leadapi-form` has the same types, and checks. */

/** Any JSON value. An answer comes from a visitor, and the engine validates it. */
export type Answer = null | boolean | number | string | Answer[] | { [name: string]: Answer };

/** Answers by question id. */
export type Answers = { [question: string]: Answer };

/** Loads the module: from the folder of this file, from a URL or a response, or from its bytes (in Node.js). */
export function load(
  module?: string | URL | Request | Response | BufferSource | WebAssembly.Module | Promise<Response>,
): Promise<void>;

/** A compiled form. Call `load` first. */
export class Form {
  /**
   * Compiles a record: an object, or JSON text, which preserves numbers that a double cannot represent. The locale is
   * the language and country of the visitor, such as `de` or `en-GB`. It replaces that of the form. Use the same locale
   * on your server, so that both read the same number.
   *
   * @throws If the text is not a JSON object.
   */
  constructor(record: string | object, options?: { version?: "live" | "draft"; locale?: string });
  /** The version that was compiled. A form that was never published has only a draft. */
  readonly version: "live" | "draft";
  /**
   * Walks through the form with these answers. A known placeholder without an answer becomes its own fallback, or else
   * `fallback`.
   *
   * @throws If the answers are text that is not a JSON object.
   */
  walk(answers?: Answers | string, options?: { fallback?: string }): Walk;
  /** Frees the memory of the form at once, instead of when the garbage collector finds it. */
  free(): void;
}

/** The result of a walk. Ids are null if they are missing or duplicates. */
export interface Walk {
  /** The language and country that select the texts and the formats of answers. */
  locale: string | null;
  /** The labels of buttons and menus in the language of the form. */
  texts: Record<"next" | "back" | "submit" | "choose" | "check" | "required" | "yes" | "no", string>;
  outcome: "awaiting" | "finished" | "endless" | "empty";
  /** The ids of the pages on the path. */
  path: (string | null)[];
  /** The pages on the path. With the outcome `awaiting`, the last one is the page on which the visitor is. */
  steps: Step[];
  /** Whether the path depends on a rule that the engine cannot evaluate. */
  uncertain: boolean;
  score: number;
  /** The visitor's progress, from 0 to 1. */
  progress: number;
  /** The reasons why the visitor cannot leave the last page. */
  problems: Problem[];
  /** With the outcome `endless`, the id of the page that would be visited twice. */
  again: string | null;
  ending: Ending | null;
  /** The answers that the host must verify. */
  verifications: { check: "email" | "phone"; question: string; text: string }[];
  /** The answers to the questions on the path. */
  pruned: Answers;
  /** The body of a request that creates the lead. */
  lead: { client_id: string; name: string; [field: string]: string | number | null } | null;
  /** The reason why there is no lead. */
  no_lead: "not_finished" | "not_wanted" | "no_client" | "no_name" | null;
  /** The origin of the lead's name, such as `name` or `email`. */
  named_by: string | null;
  /** The answers that are in the notes of the lead. */
  attributes: { key: string | null; question: string; label: string; text: string; answer: Answer }[];
}

export interface Step {
  page: string | null;
  title: string;
  /** The progress on arrival at the page. */
  progress: number;
  questions: Question[];
  uncertain: boolean;
  /** The rules that were skipped: their ids and indices, and the reasons. */
  notices: { rule: string | null; at: number; kind: "uncertain_conditions" | "unknown_jump" | "missing_target" }[];
}

/** A question with everything that a page needs to draw it. A limit that the engine ignores is absent. */
export interface Question {
  id: string;
  /** The label in the language of the form, with filled placeholders. */
  label: string;
  /** The type, such as `short_text` or `dropdown`, even if the record has an alias. Null if the question has none. */
  type: string | null;
  required: boolean;
  /** The options of a choice, in the language of the form. */
  options: { id: string; label: string }[];
  /** The text of a valid answer. */
  text: string | null;
  /** The smallest and the largest number, or the first and the last date. */
  min?: number | string;
  max?: number | string;
  minLength?: number;
  maxLength?: number;
  /** A regular expression that a part of the text must match. */
  pattern?: string;
  /** The code of the currency of an amount of money. */
  currency?: string;
}

export interface Problem {
  question: string;
  /** The stable name of the problem, such as `missing` or `not_an_email`. */
  problem: string;
  /**
   * The end of a sentence that starts with the question, such as `needs an answer`, in the language of the form. It is the
   * whole `patternMessage` if the problem is `pattern_mismatch` and the question has one.
   */
  message: string;
}

export interface Ending {
  id: string | null;
  title: string | null;
  heading: string | null;
  message: string | null;
  creates_lead: boolean;
  meta_event: string | null;
  calendar: { slug: string | null; provider: string | null; duration: number | null } | null;
  /** An `http` or `https` URL. */
  redirect: string | null;
}
