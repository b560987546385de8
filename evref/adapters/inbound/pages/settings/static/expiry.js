"use strict";
// A date that is typed chooses “On this date”, and another choice clears it.
for (const date of document.querySelectorAll("input[data-chooses]")) {
  const choices = document.querySelectorAll(`#${date.dataset.chooses} input[type=radio]`);
  date.addEventListener("input", () => {
    for (const choice of choices) {
      if (choice.value === "date" && date.value) choice.checked = true;
    }
  });
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      if (choice.value !== "date") date.value = "";
    });
  }
}
