// Walks through all test vectors with the built package, and checks the sample form.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Form, load } from "./package/index.js";
import * as walking from "./package/walk.js";

const read = (path) => readFile(new URL(path, import.meta.url));
await load(await read("package/leadapi_form_wasm_bg.wasm"));
await walking.load(await read("package/leadapi_form_walk_bg.wasm"));
const sample = JSON.parse(await read("../../model/tests/data/form.json"));
const { vectors } = JSON.parse(await read("../../../tests/tests/vectors/forms.json"));

/** Returns a walk in the format of the test vectors. */
function report(walk) {
  const numbered = walk.steps.map((step, number) => [number, step]);
  const ending = walk.ending ?? {};
  return {
    path: walk.path,
    outcome: walk.outcome,
    uncertain: numbered.filter(([, step]) => step.uncertain).map(([number]) => number),
    notices: numbered.flatMap(([number, step]) => step.notices.map(({ at, kind }) => [number, at, kind])),
    progress: walk.progress,
    steps: walk.steps.map((step) => step.progress),
    score: walk.score,
    labels: Object.fromEntries(walk.steps.flatMap((step) => step.questions).map(({ id, label }) => [id, label])),
    pruned: Object.keys(walk.pruned),
    verify: walk.verifications.map(({ check, question, text }) => [check, question, text]),
    problems: Object.fromEntries(walk.problems.map(({ question, problem }) => [question, problem])),
    again: walk.again,
    ending: ending.id,
    message: ending.message ?? "",
    meta_event: ending.meta_event,
    calendar: ending.calendar,
    redirect: ending.redirect,
    lead: walk.lead,
    no_lead: walk.no_lead,
    named_by: walk.named_by,
    attributes: walk.attributes.map(({ key, question, label, text }) => [key, question, label, text]),
  };
}

let compared = 0;
for (const { name, record, draft, answers, expect } of vectors) {
  const walks = [Form, walking.Form].map((Engine) => {
    const form = new Engine(record === "@sample" ? sample : record, { version: draft ? "draft" : "live" });
    const walk = report(form.walk(answers, { fallback: "…" }));
    form.free();
    return walk;
  });
  assert.deepEqual(walks[0], walks[1], name);
  const [walk] = walks;
  for (const [key, expected] of Object.entries(expect)) {
    // The package does not escape messages for HTML or URLs.
    if (!(key in walk)) {
      assert(["message_html", "message_url"].includes(key), key);
      continue;
    }
    assert.deepEqual(walk[key], expected, `${name}: ${key}`);
    compared += 1;
  }
}

const broken = JSON.stringify(sample).replaceAll("end:end_thanks", "end:nowhere");
const [finding] = new Form(broken).check();
assert.equal(finding.code, "target-ending-missing");
assert.equal(walking.Form.prototype.check, undefined);
assert.throws(() => new Form("[]"));
assert.throws(() => new Form({}).walk("7"));

const numbers = { form: { fields: [{ id: "n", type: "number" }] } };
assert.equal(new Form(numbers).walk({ n: "9.500" }).problems[0].problem, "ambiguous_number");
assert.equal(new Form(numbers, { locale: "de" }).walk({ n: "9.500" }).outcome, "finished");

const form = new Form(sample);
const answers = { q_recipient: "o_mother", q_age: 81, q_need: "o_household", q_hours: 12, q_postal: "10115", q_name: "Ann", q_email: "ann@example.org" };
const start = performance.now();
for (let count = 0; count < 1000; count += 1) assert(form.walk(answers).lead);
console.log(`${vectors.length} vectors with ${compared} values; a walk takes ${((performance.now() - start)).toFixed()} µs`);
