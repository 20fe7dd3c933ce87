// Draws the description of the API, and sends what is tried to the origin that the page is from. The token is kept in
// its field and goes into one header: it is stored nowhere and stands in no URL.
"use strict";

let api;

const byId = (id) => document.getElementById(id);

/** An element with attributes, listeners and children; texts are never read as markup. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** What a `$ref` leads to. */
function resolved(part) {
  if (!part?.$ref) return part;
  return part.$ref.slice(2).split("/").reduce((at, name) => at[name.replaceAll("~1", "/")], api);
}

/** The name of what is referred to. */
const named = (part) => part?.$ref?.split("/").pop();

/** Text in which back quotes mark code. */
const words = (text = "") => text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
const paragraphs = (text = "") => text.split("\n\n").map((part) => el("p", {}, words(part)));

const pretty = (value) => JSON.stringify(value, null, 2);
/** What has but one member, as an error has, fits on a line. */
const brief = (value) => (Object.keys(value).length === 1 ? pretty(value).replace(/\n\s*/g, " ") : pretty(value));

/** JSON with its names, texts, numbers and words in colours. */
function coloured(text) {
  const code = el("code");
  const token = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;
  let end = 0;
  for (const match of text.matchAll(token)) {
    const kind = match[2] ? "key" : match[1] ? "text" : /[\d]/.test(match[0]) ? "number" : "word";
    code.append(text.slice(end, match.index), el("span", { class: kind }, match[1] ?? match[0]), match[2] ?? "");
    end = match.index + match[0].length;
  }
  code.append(text.slice(end));
  return el("pre", { tabindex: "0" }, code);
}

// Schemas.

function type(schema) {
  const types = [schema.type ?? "any"].flat();
  const inner = schema.items ? `${named(schema.items) ?? type(schema.items)}` : "";
  return types.map((name) => (name === "array" ? `array of ${inner}` : name)).join(" or ");
}

/** The limits of a schema in words. */
function limits(schema) {
  const range = (least, most, unit) => {
    if (least == null && most == null) return [];
    if (most == null) return [least === 1 && unit ? `at least one${unit.replace(/s$/, "")}` : `at least ${least}${unit}`];
    return [least == null ? `at most ${most.toLocaleString("en")}${unit}` : `${least} to ${most}${unit}`];
  };
  return [
    ...(schema.format && !/^(u?int|double|phone)/.test(schema.format) ? [schema.format] : []),
    ...range(schema.minimum, schema.maximum, ""),
    ...range(schema.minLength, schema.maxLength, " characters"),
    ...range(schema.minItems, schema.maxItems, " items"),
    ...(schema.pattern === "^[!-~]+$" ? ["visible ASCII"] : []),
    ...(schema.default !== undefined ? [`default ${schema.default}`] : []),
    ...(schema.const !== undefined ? [`always ${schema.const}`] : []),
  ];
}

function row(name, schema, { place, required, description, inner }) {
  return el("div", { class: "field" },
    el("div", { class: "what" },
      el("code", { class: "name" }, name), el("span", { class: "type" }, type(schema), place && ` in the ${place}`),
      required && el("span", { class: "required" }, "required"),
      limits(schema).map((limit) => el("span", { class: "limit" }, limit))),
    el("div", { class: "why" }, words(description)), inner);
}

/** The fields of an object; those of the records in it can be opened. */
function fields(reference, asked) {
  const schema = resolved(reference);
  return el("div", { class: "fields" }, Object.entries(schema.properties).map(([name, property]) => {
    const inner = property.items && resolved(property.items).properties
      ? el("details", { class: "inner" }, el("summary", {}, named(property.items)), fields(property.items, asked)) : null;
    const required = asked && schema.required?.includes(name);
    return row(name, property, { required, description: property.description, inner });
  }));
}

// Operations.

const badge = (method) => el("span", { class: `method ${method}` }, method.toUpperCase());

function operationsOf(tag) {
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  return all.filter(({ operation }) => operation.tags.includes(tag.name));
}

function answers(operation) {
  return Object.entries(operation.responses).map(([status, reference]) => {
    const answer = resolved(reference);
    const content = answer.content?.["application/json"];
    const examples = content?.examples ?? (content?.example !== undefined ? { Example: { value: content.example } } : {});
    const headers = Object.entries(answer.headers).map(([name, header]) => [name, resolved(header)]);
    return el("details", { class: "answer" },
      el("summary", {}, el("span", { class: `status s${status[0]}` }, status), el("span", {}, words(answer.description))),
      content?.schema && named(content.schema) !== "Error" ? [el("h5", {}, named(content.schema)), fields(content.schema, false)] : null,
      Object.entries(examples).map(([name, example]) =>
        el("figure", {}, el("figcaption", {}, name), coloured(brief(example.value)))),
      el("h5", {}, "Headers"),
      el("div", { class: "fields" }, headers.map(([name, header]) => row(name, header.schema, { description: header.description }))));
  });
}

function section({ path, method, operation }) {
  const parameters = operation.parameters.map(resolved);
  const body = operation.requestBody?.content["application/json"];
  return el("section", { id: operation.operationId, class: "operation" },
    el("div", { class: "told" },
      el("h3", {}, operation.summary),
      el("p", { class: "line" }, badge(method), el("code", {}, new URL(publicUrl()).pathname.replace(/\/$/, "") + path)),
      paragraphs(operation.description),
      el("h4", {}, "Parameters"),
      el("div", { class: "fields" }, parameters.map((parameter) =>
        row(parameter.name, parameter.schema, { ...parameter, place: parameter.in }))),
      body && [el("h4", {}, "Body"), el("p", { class: "quiet" }, words(operation.requestBody.description)), fields(body.schema, true)],
      el("h4", {}, "Answers"), answers(operation)),
    trial(path, method, operation, parameters, body));
}

// Trying.

const withoutSlash = (url) => url.replace(/\/$/, "");
/** The API on the origin of this page: the description names its path last. */
const base = () => withoutSlash(api.servers.at(-1).url);
/** The API as its callers reach it. */
const publicUrl = () => withoutSlash(new URL(api.servers[0].url, location.origin).href);

function trial(path, method, operation, parameters, body) {
  const inputs = parameters.map((parameter) => ({
    parameter,
    input: el("input", {
      "aria-label": parameter.name, name: parameter.name, placeholder: parameter.example, autocomplete: "off",
      spellcheck: "false", value: parameter.required ? parameter.example : null, required: parameter.required,
    }),
  }));
  const editor = body && el("textarea", { "aria-label": "Body", spellcheck: "false" });
  const choose = body && el("select", { "aria-label": "Example", change: () => fill(choose.value) },
    Object.keys(body.examples).map((name) => el("option", {}, name)));
  const fill = (name) => {
    editor.value = pretty(body.examples[name].value);
    editor.rows = editor.value.split("\n").length + 1;
    told();
  };
  const curl = el("pre", { class: "curl", tabindex: "0" });
  const outcome = el("div", { class: "outcome", "aria-live": "polite" });
  const send = el("button", { type: "submit", class: "send" }, "Send");
  const copy = el("button", { type: "button", click: () => copied(curl.textContent, copy) }, "Copy as curl");

  /** The request as it stands in the form. */
  const request = () => {
    const given = inputs.filter(({ input }) => input.value !== "").map(({ parameter, input }) => [parameter, input.value]);
    const of = (place) => given.filter(([parameter]) => parameter.in === place).map(([parameter, value]) => [parameter.name, value]);
    const filled = of("path").reduce((at, [name, value]) => at.replace(`{${name}}`, encodeURIComponent(value)), path);
    const query = new URLSearchParams(of("query")).toString();
    const headers = body ? [["Content-Type", "application/json"], ...of("header")] : of("header");
    return { target: filled + (query && `?${query}`), headers, body: editor?.value };
  };
  const told = () => {
    curl.textContent = asCurl(method, request());
  };
  const form = el("form", {
    class: "trial", input: told,
    submit: async (event) => {
      event.preventDefault();
      send.disabled = true;
      outcome.replaceChildren(await answered(method, request()));
      send.disabled = false;
    },
  },
  el("h4", {}, "Try it"),
  inputs.map(({ parameter, input }) => el("label", { class: "input" }, el("span", {}, parameter.name), input)),
  body && [el("label", { class: "input" }, el("span", {}, "Example"), choose), editor],
  curl, el("div", { class: "buttons" }, send, copy), outcome);
  if (body) fill(choose.value);
  else told();
  return form;
}

/** Sends a request, and shows what comes back. */
async function answered(method, { target, headers, body }) {
  const token = byId("token").value.trim();
  const began = performance.now();
  try {
    const all = token ? [["Authorization", `Bearer ${token}`], ...headers] : headers;
    const response = await fetch(location.origin + base() + target, {
      method: method.toUpperCase(), headers: all, body, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
    });
    const text = await response.text();
    const took = Math.round(performance.now() - began);
    return el("div", { class: "came" },
      el("p", {}, el("span", { class: `status s${String(response.status)[0]}` }, String(response.status)),
        el("span", { class: "quiet" }, `${response.statusText} in ${took} ms`)),
      el("pre", { class: "headers", tabindex: "0" }, [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")),
      text ? coloured(shown(text)) : el("p", { class: "quiet" }, "No body."));
  } catch (error) {
    return el("p", { class: "failed" }, `The request could not be sent: ${error.message}`);
  }
}

function shown(text) {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The same request for a shell, which is to hold the token itself. */
function asCurl(method, { target, headers, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -sSi -X ${method.toUpperCase()} ${quoted(publicUrl() + target)}`, `-H "Authorization: Bearer $LEADAPI_TOKEN"`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)];
  if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

async function copied(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select it above";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

// The page.

function draw() {
  document.title = `${api.info.title} ${api.info.version} reference`;
  byId("title").append(el("small", {}, ` ${api.info.version}`));
  byId("contents").append(...api.tags.map((tag) => el("div", {}, el("h2", {}, tag.name),
    operationsOf(tag).map(({ method, operation }) =>
      el("a", { href: `#${operation.operationId}` }, badge(method), operation.summary)))));
  byId("top").append(
    el("div", { class: "intro" },
      el("h1", {}, api.info.summary), paragraphs(api.info.description),
      el("p", {}, words(api.components.securitySchemes.token.description)),
      el("p", {}, "The same for machines: ", el("a", { href: "docs/openapi.json" }, "openapi.json"), ", OpenAPI ", api.openapi, ".")),
    ...api.tags.flatMap((tag) => [
      el("div", { class: "tag" }, el("h2", {}, tag.name), paragraphs(tag.description)),
      ...operationsOf(tag).map(section)]));
  follow();
  // What the address names did not exist when the browser looked for it.
  if (location.hash) byId(location.hash.slice(1))?.scrollIntoView();
}

/** Marks the operation that is being read in the list of them. */
function follow() {
  const links = new Map([...byId("contents").querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) links.get(target.id)?.classList.toggle("here", isIntersecting);
  }, { rootMargin: "-30% 0px -65% 0px" });
  document.querySelectorAll(".operation").forEach((operation) => watch.observe(operation));
}

fetch("docs/openapi.json")
  .then((response) => response.json())
  .then((description) => { api = description; draw(); })
  .catch((error) => byId("top").append(el("p", { class: "notice" }, `The description could not be read: ${error.message}`)));
