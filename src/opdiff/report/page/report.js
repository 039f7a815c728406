"use strict";
const search = document.getElementById("search");
const found = document.getElementById("found");
const kinds = [...document.querySelectorAll("input[data-kind]")];
const groups = [...document.querySelectorAll("details.group")].map((element) => ({
  element,
  kind: element.dataset.kind,
  title: element.querySelector("summary").textContent.toLowerCase(),
  rows: [...element.querySelectorAll(".row")].map((row) => ({ row, text: row.textContent.toLowerCase() })),
}));

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shownKinds = new Set(kinds.filter((box) => box.checked).map((box) => box.dataset.kind));
  let count = 0;
  for (const group of groups) {
    let here = 0;
    for (const { row, text } of group.rows) {
      const hit = words.every((word) => text.includes(word) || group.title.includes(word));
      row.hidden = !hit;
      here += hit ? 1 : 0;
    }
    // What is folded away could not be seen to match.
    for (const rest of group.element.querySelectorAll("details.rest")) rest.open = words.length > 0;
    group.element.hidden = here === 0 || !shownKinds.has(group.kind);
    count += group.element.hidden ? 0 : here;
  }
  found.textContent = String(count);
}

search.addEventListener("input", show);
for (const box of kinds) box.addEventListener("change", show);
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});
show();
