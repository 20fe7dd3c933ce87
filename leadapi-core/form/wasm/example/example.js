// Walks through the form in form.json. A real page also styles the form, and sends the answers to its server at the end.
import { Form, load } from "../package/index.js";

const [title, page, problem, lead] = ["title", "page", "problem", "lead"].map((id) => document.getElementById(id));
const record = await (await fetch("form.json")).text();
await load();
const form = new Form(record);
const answers = {};
show();

page.addEventListener("submit", (event) => {
  event.preventDefault();
  for (const [id, value] of new FormData(page)) answers[id] = value;
  show(page.dataset.number);
});

/** Shows the visitor's current page. If it is the page that was just submitted, its answers have problems. */
function show(submitted) {
  const walk = form.walk(answers);
  const step = walk.steps.at(-1);
  const isFinished = walk.outcome === "finished";
  document.documentElement.lang = walk.locale ?? "en";
  title.textContent = isFinished ? (walk.ending.heading ?? "Thank you") : step.title;
  lead.textContent = isFinished ? JSON.stringify(walk.lead, null, 2) : "";
  page.dataset.number = walk.steps.length;
  const problems = submitted === page.dataset.number ? walk.problems : [];
  const label = (id) => step.questions.find((question) => question.id === id).label;
  const sentence = ({ question, message }) => (/[.!?]$/.test(message) ? message : `${label(question)} ${message}.`);
  problem.textContent = problems.map(sentence).join(" ");
  page.replaceChildren(...(isFinished ? [] : [...step.questions.map((question) => field(question, walk)), element("button", { textContent: walk.texts.next })]));
  title.focus();
}

function field({ id, label, type, options, required }, { texts }) {
  const booleans = ["yes", "no"].map((id) => ({ id, label: texts[id] }));
  const choices = ["yes_no", "checkbox", "consent"].includes(type) ? booleans : options;
  const option = ({ id, label }) => element("option", { value: id, textContent: label });
  const control = choices.length
    ? element("select", { name: id, id }, option({ id: "", label: texts.choose }), ...choices.map(option))
    : element("input", { name: id, id });
  control.ariaRequired = required;
  control.value = answers[id] ?? "";
  return element("p", {}, element("label", { textContent: `${label} `, htmlFor: id }), control);
}

function element(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
