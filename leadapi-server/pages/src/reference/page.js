// Renders the OpenAPI description and sends trial requests, to the page's own origin if it serves the API. The token
// stays in its input field and is sent only in the Authorization header: the page neither stores it nor puts it into a
// URL.
"use strict";

let api;

const byId = (id) => document.getElementById(id);

/** Creates an element with attributes, listeners and children. Strings become text nodes, never markup. */
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

/** Resolves a `$ref`. */
function resolved(part) {
  if (!part?.$ref) return part;
  return part.$ref.slice(2).split("/").reduce((at, name) => at[name.replaceAll("~1", "/")], api);
}

/** Returns the name at the end of a `$ref`. */
const named = (part) => part?.$ref?.split("/").pop();

/** Renders text with inline code in backticks. */
const words = (text = "") => text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
const paragraphs = (text = "") => text.split("\n\n").map((part) => el("p", {}, words(part)));

const pretty = (value) => JSON.stringify(value, null, 2);
/** Formats JSON. An object with one member, such as an error, goes on a single line. */
const brief = (value) => (Object.keys(value).length === 1 ? pretty(value).replace(/\n\s*/g, " ") : pretty(value));

/** Renders JSON with syntax highlighting and a copy button. */
function highlighted(text) {
  const code = el("code");
  const token = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;
  let end = 0;
  for (const match of text.matchAll(token)) {
    const kind = match[2] ? "key" : match[1] ? "text" : /[\d]/.test(match[0]) ? "number" : "word";
    code.append(text.slice(end, match.index), el("span", { class: kind }, match[1] ?? match[0]), match[2] ?? "");
    end = match.index + match[0].length;
  }
  code.append(text.slice(end));
  const copy = el("button", { type: "button", class: "copy", click: () => copyText(text, copy) }, "Copy");
  return el("div", { class: "json" }, el("pre", { tabindex: "0" }, code), copy);
}

// Schemas.

function type(schema) {
  const types = [schema.type ?? "any"].flat();
  const inner = schema.items ? `${named(schema.items) ?? type(schema.items)}` : "";
  return types.map((name) => (name === "array" ? `array of ${inner}` : name)).join(" or ");
}

/** Describes the constraints of a schema. */
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

/** Renders a field. `owner` is the part of an operation that contains it. */
function row(owner, name, schema, { place, required, description, inner }) {
  const id = `${owner.id}.${name}`;
  addToSearch({ id, title: name, where: owner.title, text: description });
  return el("div", { class: "field", id },
    el("div", { class: "what" },
      el("code", { class: "name" }, name), el("span", { class: "type" }, type(schema), place && ` in the ${place}`),
      required && el("span", { class: "required" }, "required"),
      limits(schema).map((limit) => el("span", { class: "limit" }, limit))),
    el("div", { class: "why" }, words(description)), inner);
}

/** Lists the fields of an object, with nested objects collapsed. */
function fields(owner, reference, isRequest) {
  const schema = resolved(reference);
  return el("div", { class: "fields" }, Object.entries(schema.properties).map(([name, property]) => {
    const inner = property.items && resolved(property.items).properties
      ? el("details", { class: "inner" }, el("summary", {}, named(property.items)),
        fields({ ...owner, id: `${owner.id}.${name}` }, property.items, isRequest)) : null;
    const required = isRequest && schema.required?.includes(name);
    return row(owner, name, property, { required, description: property.description, inner });
  }));
}

// Operations.

const badge = (method) => el("span", { class: `method ${method}` }, method.toUpperCase());

function operationsOf(tag) {
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  return all.filter(({ operation }) => operation.tags.includes(tag.name));
}

function responses(operation) {
  return Object.entries(operation.responses).map(([status, reference]) => {
    const response = resolved(reference);
    const content = response.content?.["application/json"];
    const examples = content?.examples ?? (content?.example !== undefined ? { Example: { value: content.example } } : {});
    const headers = Object.entries(response.headers).map(([name, header]) => [name, resolved(header)]);
    const owner = { id: `${operation.operationId}.${status}`, title: operation.summary };
    return el("details", { class: "response" },
      el("summary", {}, el("span", { class: `status s${status[0]}` }, status), el("span", {}, words(response.description))),
      content?.schema && named(content.schema) !== "Error" ? [el("h5", {}, named(content.schema)), fields(owner, content.schema, false)] : null,
      Object.entries(examples).map(([name, example]) =>
        el("figure", {}, el("figcaption", {}, name), highlighted(brief(example.value)))),
      el("h5", {}, "Headers"),
      el("div", { class: "fields" }, headers.map(([name, header]) => row(owner, name, header.schema, { description: header.description }))));
  });
}

/** Creates the anchor link of a heading. A click also copies its URL. */
function anchor(id, title) {
  const link = el("a", {
    class: "anchor", href: `#${id}`, "aria-label": `Copy the link to “${title}”`,
    click: () => copyText(link.href, link),
  }, "#");
  return link;
}

function section({ path, method, operation }) {
  const parameters = operation.parameters.map(resolved);
  const body = operation.requestBody?.content["application/json"];
  const { operationId: id, summary: title } = operation;
  addToSearch({ id, title, where: `${method.toUpperCase()} ${path}`, text: `${id} ${operation.description}` });
  return el("section", { id, class: "operation" },
    el("div", {},
      el("h3", {}, title, anchor(id, title)),
      el("p", { class: "line" }, badge(method), el("code", {}, new URL(publicUrl()).pathname.replace(/\/$/, "") + path)),
      paragraphs(operation.description),
      el("h4", {}, "Parameters"),
      el("div", { class: "fields" }, parameters.map((parameter) =>
        row({ id: `${id}.${parameter.in}`, title }, parameter.name, parameter.schema, { ...parameter, place: parameter.in }))),
      body && [el("h4", {}, "Body"), el("p", { class: "quiet" }, words(operation.requestBody.description)),
        fields({ id: `${id}.body`, title }, body.schema, true)],
      el("h4", {}, "Responses"), responses(operation)),
    trial(path, method, operation, parameters, body));
}

// Trial requests.

const withoutSlash = (url) => url.replace(/\/$/, "");
const absolute = (server) => withoutSlash(new URL(server.url, location.origin).href);
/** The base URL for trial requests: the path on this origin if the description contains one. */
const trialUrl = () => absolute(api.servers.find(({ url }) => url.startsWith("/")) ?? api.servers[0]);
const isCrossOrigin = () => new URL(trialUrl()).origin !== location.origin;
/** The base URL that callers use: the first server in the description. */
const publicUrl = () => absolute(api.servers[0]);

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
    showCurl();
  };
  const curl = el("pre", { class: "curl", tabindex: "0" });
  const outcome = el("div", { class: "outcome", "aria-live": "polite" });
  const submit = el("button", { type: "submit", class: "send" }, "Send");
  const copy = el("button", { type: "button", click: () => copyText(curl.textContent, copy) }, "Copy as curl");

  /** Reads the request from the form. */
  const request = () => {
    const given = inputs.filter(({ input }) => input.value !== "").map(({ parameter, input }) => [parameter, input.value]);
    const of = (place) => given.filter(([parameter]) => parameter.in === place).map(([parameter, value]) => [parameter.name, value]);
    const filled = of("path").reduce((at, [name, value]) => at.replace(`{${name}}`, encodeURIComponent(value)), path);
    const query = new URLSearchParams(of("query")).toString();
    const headers = body ? [["Content-Type", "application/json"], ...of("header")] : of("header");
    return { target: filled + (query && `?${query}`), headers, body: editor?.value };
  };
  const showCurl = () => {
    curl.textContent = asCurl(method, request());
  };
  const form = el("form", {
    class: "trial", input: showCurl,
    submit: async (event) => {
      event.preventDefault();
      submit.disabled = true;
      outcome.replaceChildren(await exchange(method, request()));
      submit.disabled = false;
    },
  },
  el("h4", {}, "Try it"),
  inputs.map(({ parameter, input }) => el("label", { class: "input" }, el("span", {}, parameter.name), input)),
  body && [el("label", { class: "input" }, el("span", {}, "Example"), choose), editor],
  curl,
  isCrossOrigin() && el("p", { class: "quiet foreign" }, "“Send” works only if the API at ", el("code", {}, new URL(trialUrl()).origin),
    " allows requests from other origins (CORS). By default it does not, and the browser blocks the request. The curl command always works."),
  el("div", { class: "buttons" }, submit, copy), outcome);
  if (body) fill(choose.value);
  else showCurl();
  return form;
}

/** Sends a request, with the token if there is one. */
function send(method, target, headers = [], body = undefined) {
  const token = byId("token").value.trim();
  return fetch(trialUrl() + target, {
    method: method.toUpperCase(), headers: token ? [["Authorization", `Bearer ${token}`], ...headers] : headers, body,
    cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
  });
}

/** Sends a request and renders the response. */
async function exchange(method, { target, headers, body }) {
  const began = performance.now();
  try {
    const response = await send(method, target, headers, body);
    const text = await response.text();
    const took = Math.round(performance.now() - began);
    return el("div", { class: "came" },
      el("p", {}, el("span", { class: `status s${String(response.status)[0]}` }, String(response.status)),
        el("span", { class: "quiet" }, `${response.statusText} in ${took} ms`)),
      el("pre", { class: "headers", tabindex: "0" }, [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")),
      text ? highlighted(indented(text)) : el("p", { class: "quiet" }, "No body."));
  } catch (error) {
    return el("p", { class: "failed" }, `The request could not be sent: ${error.message}`);
  }
}

function indented(text) {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Returns the request as a curl command. The shell supplies the token. */
function asCurl(method, { target, headers, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -sSi -X ${method.toUpperCase()} ${quoted(publicUrl() + target)}`, `-H "Authorization: Bearer $LEADAPI_TOKEN"`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)];
  if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

async function copyText(text, control) {
  const label = control.textContent;
  try {
    await navigator.clipboard.writeText(text);
    control.textContent = "Copied";
  } catch {
    control.textContent = "Not copied";
  }
  setTimeout(() => { control.textContent = label; }, 1500);
}

// The bar.

/** Shows whether the server accepts the token. The check reads one record, which counts towards the rate limit. */
async function checkToken() {
  const [field, state] = [byId("token"), byId("token-state")];
  const token = field.value.trim();
  const show = (text, kind) => {
    // A slow response must not overwrite the state of a newer token.
    if (field.value.trim() === token) Object.assign(state, { textContent: text, className: kind });
  };
  if (!token) return show("", "");
  show("…", "");
  try {
    const { status } = await send("get", `${Object.keys(api.paths)[0]}?limit=1`);
    if (status === 401) show("Not accepted", "failed");
    else if (status >= 500) show("Server error", "failed");
    else show("Accepted", "accepted");
  } catch {
    show("No connection", "failed");
  }
}

/** Opens or closes the list of guides and operations, which small screens hide. */
function toggleMenu(isOpen) {
  byId("contents").classList.toggle("open", isOpen);
  byId("menu").setAttribute("aria-expanded", String(isOpen));
}

// The page.

function draw() {
  document.title = `${api.info.title} ${api.info.version} reference`;
  byId("title").append(el("small", {}, ` ${api.info.version}`));
  byId("base-url").textContent = publicUrl();
  byId("intro").append(
    // The guides contain the other paragraphs of the description.
    el("h1", {}, api.info.summary), paragraphs(api.info.description.split("\n\n")[0])[0],
    el("p", {}, "Machine-readable description: ", el("a", { href: "docs/openapi.json" }, "openapi.json"), ", OpenAPI ", api.openapi, "."));
  const guides = [...document.querySelectorAll(".guide")].map(drawGuide);
  byId("operations").append(...api.tags.flatMap((tag) => [
    el("div", { class: "tag" }, el("h2", {}, tag.name), paragraphs(tag.description)),
    ...operationsOf(tag).map(section)]));
  byId("contents").append(searchField(), el("div", { id: "list" },
    el("h2", {}, "Guides"), guides.map(({ id, title }) => el("a", { href: `#${id}` }, title)),
    api.tags.map((tag) => [el("h2", {}, tag.name), operationsOf(tag).map(({ method, operation }) =>
      el("a", { href: `#${operation.operationId}` }, badge(method), operation.summary))])));
  drawLanguages();
  follow();
  // The target of the URL fragment did not exist when the browser first looked for it.
  showTarget();
}

/** Adds an anchor to a guide in the HTML, and makes the guide searchable. */
function drawGuide(guide) {
  const heading = guide.querySelector("h3");
  const [id, title] = [guide.id, heading.textContent];
  addToSearch({ id, title, where: "Guide", text: heading.parentElement.textContent });
  heading.append(anchor(id, title));
  return { id, title };
}

/** Scrolls to the target of the URL fragment, and opens the details that contain it. */
function showTarget() {
  const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let details = target.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
  target.scrollIntoView();
}

/** Highlights the visible guide or operation in the navigation. */
function follow() {
  const links = new Map([...byId("list").querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) links.get(target.id)?.classList.toggle("here", isIntersecting);
  }, { rootMargin: "-30% 0px -65% 0px" });
  document.querySelectorAll(".guide, .operation").forEach((section) => watch.observe(section));
}

byId("menu").addEventListener("click", () => toggleMenu(byId("menu").getAttribute("aria-expanded") !== "true"));
byId("contents").addEventListener("click", ({ target }) => target.closest("a") && toggleMenu(false));
addEventListener("keydown", ({ key }) => key === "Escape" && toggleMenu(false));
addEventListener("hashchange", showTarget);
byId("token").addEventListener("change", checkToken);
byId("token").addEventListener("paste", () => setTimeout(checkToken));
byId("token").addEventListener("input", () => { byId("token-state").textContent = ""; });

fetch("docs/openapi.json")
  .then((response) => response.json())
  .then((description) => { api = description; draw(); })
  .catch((error) => byId("intro").append(el("p", { class: "notice" }, `The description could not be loaded: ${error.message}`)));
