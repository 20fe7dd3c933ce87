// Applies the chosen theme before the page is drawn, and toggles it. By default, the page follows the system theme.
"use strict";

(() => {
  const root = document.documentElement;
  const choose = (theme) => { if (theme === "light" || theme === "dark") root.dataset.theme = theme; };
  const isDark = () => root.dataset.theme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);

  try {
    choose(localStorage.getItem("theme"));
  } catch {
    // Without storage, the choice is lost when the page closes.
  }
  addEventListener("DOMContentLoaded", () => document.getElementById("theme").addEventListener("click", () => {
    choose(isDark() ? "light" : "dark");
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // As above, the choice is lost when the page closes.
    }
  }));
})();
