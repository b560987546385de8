"use strict";
// Without this script the switches stay hidden.
for (const choice of document.querySelectorAll("input[data-shows]")) {
  const password = document.getElementById(choice.dataset.shows);
  choice.closest("label").hidden = false;
  choice.addEventListener("change", () => {
    password.type = choice.checked ? "text" : "password";
  });
}
