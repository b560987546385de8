"use strict";
// Without this script the buttons stay hidden, and a click on the key selects it.
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
