"use strict";
// Dates the print. The server cannot: a page is rendered once for each version of the catalogue.
const printed = document.getElementById("printed");
const today = new Date();
const time = printed.querySelector("time");
time.dateTime = today.toISOString().slice(0, 10);
time.textContent = today.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
printed.hidden = false;
// Paper shows all that is folded. Firefox before 143 cannot unfold it by the style sheet.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")];
  for (const details of unfolded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of unfolded) details.open = false;
});
