"use strict";
// Suggests diagnoses and interventions while one types: a combobox with a list (WAI-ARIA, Authoring Practices).
// Without it, the field is a form that searches on Enter. A slash puts the cursor into the field.
const input = document.getElementById("q");
const list = document.createElement("ul");
let active = -1;
let isDismissed = false;
let timer = 0;

const deactivate = () => {
  active = -1;
  for (const option of list.children) option.setAttribute("aria-selected", "false");
  input.removeAttribute("aria-activedescendant");
};

const close = () => {
  list.hidden = true;
  deactivate();
  input.setAttribute("aria-expanded", "false");
};

const activate = (place) => {
  const options = [...list.children];
  active = (place + options.length) % options.length;
  options.forEach((option, number) => option.setAttribute("aria-selected", String(number === active)));
  input.setAttribute("aria-activedescendant", options[active].id);
  options[active].scrollIntoView({ block: "nearest" });
};

const option = (found, number) => {
  const item = document.createElement("li");
  item.id = `suggestion-${number}`;
  item.role = "option";
  item.dataset.address = found.address;
  item.setAttribute("aria-selected", "false");
  const matched = document.createElement("small");
  matched.textContent = found.kind === "intervention" ? `Intervention · ${found.matched}` : found.matched;
  item.append(found.name, " ", matched);
  return item;
};

const ask = async () => {
  const text = input.value.trim();
  if (text.length < 3 || text.length > input.dataset.longest) return close();
  try {
    const response = await fetch(`${input.dataset.suggest}?${new URLSearchParams({ q: text })}`, { redirect: "error" });
    // If the service is busy, the last suggestions stay.
    if (!response.ok) return undefined;
    const { suggestions } = await response.json();
    if (text !== input.value.trim() || document.activeElement !== input) return undefined;
    // Who has closed the list, or has chosen from it, did so before this answer.
    if (isDismissed || active >= 0) return undefined;
    list.replaceChildren(...suggestions.map(option));
  } catch {
    return undefined;
  }
  close();
  list.hidden = list.children.length === 0;
  input.setAttribute("aria-expanded", String(!list.hidden));
  return undefined;
};

// On a telephone, the focus would open the keyboard over the page.
if (input && "focus" in input.dataset && matchMedia("(hover: hover) and (pointer: fine)").matches) input.focus();

if (input?.dataset.suggest) {
  list.id = "suggestions";
  list.role = "listbox";
  list.hidden = true;
  list.setAttribute("aria-label", "Suggestions");
  input.after(list);
  input.role = "combobox";
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  close();

  input.addEventListener("input", () => {
    clearTimeout(timer);
    isDismissed = false;
    deactivate();
    timer = setTimeout(ask, 150);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") isDismissed = true;
    if (list.hidden) return;
    if (event.key === "ArrowDown") activate(active + 1);
    else if (event.key === "ArrowUp") activate(active < 0 ? -1 : active - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && active >= 0) location.assign(list.children[active].dataset.address);
    else return;
    event.preventDefault();
  });
  // Before the field loses the focus, which closes the list.
  list.addEventListener("mousedown", (event) => {
    const address = event.target.closest("li")?.dataset.address;
    if (address) location.assign(address);
    event.preventDefault();
  });

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}
