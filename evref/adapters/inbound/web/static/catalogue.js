"use strict";
// Narrows the list while one types. Enter searches on the server, which also reads codes.
const field = document.getElementById("q");
const table = document.getElementById("entries");
const result = document.getElementById("result");

const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

if (field && table && !location.search.includes("q=")) {
  const rows = [...table.tBodies[0].rows].map((row) => [row, folded(row.cells[0].textContent)]);
  const before = [...result.childNodes];
  field.addEventListener("input", () => {
    const words = folded(field.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    table.hidden = shown === 0;
    const text = shown ? `${shown} of ${rows.length} have this in the name or codes.` : "None has this in the name.";
    result.replaceChildren(...(words.length ? [`${text} Press Enter to search by code.`] : before));
  });
}
