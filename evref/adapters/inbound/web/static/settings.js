"use strict";
// Without this script nothing is missing but the buttons that copy and the switches that show a password.

for (const button of document.querySelectorAll("button[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  const message = document.getElementById(`${button.dataset.copies}-copied`);
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      message.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(source);
      message.textContent = "Selected: copy it with Ctrl+C, or ⌘C on a Mac.";
    }
  });
}
// Back and Forward then lead to the key, and not to an error about a form that was sent.
for (const page of document.querySelectorAll("[data-address]")) {
  history.replaceState(null, "", page.dataset.address);
}

// A date that is typed chooses “On this date”, and another choice clears it.
for (const date of document.querySelectorAll("input[data-chooses]")) {
  const choices = document.querySelectorAll(`input[name=${date.dataset.chooses}]`);
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

for (const choice of document.querySelectorAll("input[data-shows]")) {
  const password = document.getElementById(choice.dataset.shows);
  choice.closest("label").hidden = false;
  choice.addEventListener("change", () => {
    password.type = choice.checked ? "text" : "password";
  });
}
