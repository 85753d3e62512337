"use strict";
(function () {
  const root = document.documentElement, collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function button(words, press) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.addEventListener("click", press);
    return made;
  }

  // A table that sorts by each of its columns, once more the other way round; what is empty stays last.
  function value(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent.trim();
  }
  function sort(table, column) {
    const heads = [...table.tHead.rows[0].cells], down = heads[column].getAttribute("aria-sort") === "ascending";
    const rows = [...table.tBodies[0].rows].map((row) => [value(row, column), row]);
    rows.sort(([a], [b]) => (a === "") - (b === "") || (down ? collator.compare(b, a) : collator.compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  }
  for (const table of document.querySelectorAll("table.sorts")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.replaceChildren(button(head.textContent, () => sort(table, column)));
    });
  }

  function theme() {
    const dark = root.classList.contains("dark") ||
      (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.remove("dark", "light");
    root.classList.add(dark ? "light" : "dark");
  }
  document.getElementById("theme").append(button("light or dark", theme));
})();
