// The language switch of the samples. Without JavaScript, the page shows each sample in all languages.
"use strict";

/** Adds the language buttons and the copy button to each group of samples, and shows the chosen language. */
function drawLanguages() {
  for (const group of document.querySelectorAll(".samples")) {
    const samples = [...group.querySelectorAll("pre")];
    const copy = el("button", {
      type: "button", click: () => copyText(samples.find((sample) => !sample.hidden).textContent, copy),
    }, "Copy");
    group.prepend(el("div", { class: "languages" },
      el("div", { role: "group", "aria-label": "Language" }, samples.map(({ dataset: { language } }) =>
        el("button", { type: "button", value: language, click: ({ target }) => chooseLanguage(language, target) }, language))),
      copy));
  }
  let chosen;
  try {
    chosen = localStorage.getItem("language");
  } catch {
    // Without storage, the choice is lost when the page closes.
  }
  showLanguage(chosen);
}

/** Shows all samples in a language, the first one by default. */
function showLanguage(chosen) {
  for (const group of document.querySelectorAll(".samples")) {
    const samples = [...group.querySelectorAll("pre")];
    const shown = samples.find(({ dataset: { language } }) => language === chosen) ?? samples[0];
    for (const sample of samples) sample.hidden = sample !== shown;
    for (const button of group.querySelectorAll("[value]")) button.setAttribute("aria-pressed", button.value === shown.dataset.language);
  }
}

/** Shows and stores the language. The button stays where it is, although the samples above it change their heights. */
function chooseLanguage(language, button) {
  const before = button.getBoundingClientRect().top;
  showLanguage(language);
  scrollBy(0, button.getBoundingClientRect().top - before);
  try {
    localStorage.setItem("language", language);
  } catch {
    // As above, the choice is lost when the page closes.
  }
}
