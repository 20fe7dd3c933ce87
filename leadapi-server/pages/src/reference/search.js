// Searches the guides, the operations and their fields, in the browser. The key `/` moves the focus to the search field.
"use strict";

const searchable = new Map();

/** Makes a part of the page searchable. A name that an operation contains several times is found once. */
function addToSearch({ id, title, where, text = "" }) {
  const key = `${where} ${title}`;
  if (!searchable.has(key)) searchable.set(key, { id, title, where, words: `${title} ${where} ${text}`.toLowerCase() });
}

/** Returns the parts that contain all words of the query. Those with the query in their titles come first. */
function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const rank = ({ title }) => {
    const at = title.toLowerCase().indexOf(words.join(" "));
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return [...searchable.values()].filter((part) => words.every((word) => part.words.includes(word)))
    .sort((one, other) => rank(one) - rank(other));
}

/** Creates the search field with its results. While it contains a query, the results replace the list of contents. */
function searchField() {
  const results = el("div", { id: "results" });
  const count = el("p", { class: "quiet", role: "status" });
  const links = () => [...results.querySelectorAll("a")];
  const show = () => {
    const found = search(input.value);
    const isSearch = input.value.trim() !== "";
    byId("list").hidden = isSearch;
    count.textContent = !isSearch ? "" : found.length === 1 ? "1 result" : `${found.length || "No"} results`;
    results.replaceChildren(...found.map(({ id, title, where }) =>
      el("a", { href: `#${id}` }, el("span", {}, title), el("small", {}, where))));
  };
  const clear = () => {
    input.value = "";
    show();
  };
  const move = (event, by) => {
    const stops = [input, ...links()];
    stops[stops.indexOf(document.activeElement) + by]?.focus();
    event.preventDefault();
  };
  const input = el("input", {
    type: "search", id: "search", placeholder: "Search  /", "aria-label": "Search guides, operations and fields",
    "aria-controls": "results", autocomplete: "off", spellcheck: "false", input: show,
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
    event.preventDefault();
    toggleMenu(true);
    input.focus();
    input.select();
  });
  return el("div", {
    role: "search",
    keydown: (event) => {
      if (event.key === "ArrowDown") move(event, 1);
      else if (event.key === "ArrowUp") move(event, -1);
      else if (event.key === "Enter" && event.target === input) links()[0]?.click();
      else if (event.key === "Escape") clear();
    },
  }, input, count, results);
}
