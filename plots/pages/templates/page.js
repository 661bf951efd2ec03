"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // What is open on a wide screen is folded on a small one.
  if (matchMedia("(max-width: 47.9rem)").matches) all("details.wide").forEach((details) => { details.open = false; });

  // --- tables, sorted by any column: first upwards, then downwards, then as they were

  const valueOf = (cell) => {
    const text = cell.dataset.ratio ?? cell.textContent.trim();
    const found = /^[<>≈~\s]*(-?[\d.]+(e[-+]?\d+)?)/.exec(text);
    return found ? Number(found[1]) : text === "" ? null : text.toLowerCase();
  };
  const compare = (one, other, turned) => {
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1; // empty cells come last
    const order = typeof one !== typeof other ? (typeof one === "number" ? -1 : 1) : one < other ? -1 : one > other ? 1 : 0;
    return turned ? -order : order;
  };
  const NEXT = { none: "ascending", ascending: "descending" };
  all("table.sortable").forEach((table) => {
    const body = table.tBodies[0], rows = [...body.rows];
    const headings = all("th[scope=col]", table.tHead);
    headings.forEach((heading, place) => {
      const button = document.createElement("button"); // the heading's text
      button.type = "button";
      button.append(heading.textContent);
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const way = NEXT[heading.getAttribute("aria-sort") ?? "none"];
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        if (way) heading.setAttribute("aria-sort", way);
        const isReference = (row) => row.classList.contains("reference"); // these stay below
        const sorted = rows.map((row) => [valueOf(row.cells[place]), row]);
        if (way) sorted.sort((a, b) => isReference(a[1]) - isReference(b[1]) || compare(a[0], b[0], way === "descending"));
        body.append(...sorted.map(([, row]) => row));
      });
    });
  });

  // --- the matrix: which deques, and what its cells show

  const matrix = document.getElementById("matrix-table");
  if (!matrix) return;
  const boxes = all('input[name="trait"]'), shows = document.getElementById("show");
  const apply = () => {
    const wanted = boxes.filter((box) => box.checked).map((box) => box.value);
    const fits = (row) => wanted.every((trait) => row.dataset.traits.split(" ").includes(trait));
    all("tr[data-traits]").forEach((row) => { row.hidden = !fits(row); });
    all("td[data-text]", matrix).forEach((cell) => { cell.firstChild.textContent = cell.dataset[shows.value]; });
    const ranked = all("tbody tr:not(.reference)", matrix);
    document.getElementById("told").textContent = `${ranked.filter(fits).length} of ${ranked.length} deques.`;
  };
  [...boxes, shows].forEach((one) => one.addEventListener("change", apply));
  apply();
})();
