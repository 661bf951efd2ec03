"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // What is open on a wide screen is folded on a small one.
  if (matchMedia("(max-width: 47.9rem)").matches) all("details.wide").forEach((details) => { details.open = false; });

  // --- light and dark

  const themes = all(".theme button");
  const showTheme = () => themes.forEach((button) =>
    button.setAttribute("aria-pressed", String(button.dataset.theme === (root.dataset.theme || ""))));
  themes.forEach((button) => button.addEventListener("click", () => {
    root.dataset.theme = button.dataset.theme;
    try { localStorage.setItem("stealbench-theme", button.dataset.theme); } catch (error) { /* for this visit only */ }
    showTheme();
  }));
  showTheme();

  all("button.copy").forEach((button) => button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
    } catch (error) { // not allowed, or not from a file: select it instead
      getSelection().selectAllChildren(code);
      button.textContent = "selected";
    }
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  }));

  // --- tables, sorted by any column

  const valueOf = (row, place) => {
    const text = row.cells[place].textContent.trim();
    const found = /^[<>≈~\s]*(-?[\d.]+(e[-+]?\d+)?)/.exec(text);
    return found ? Number(found[1]) : text === "" ? null : text.toLowerCase();
  };
  const compare = (one, other) => {
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1; // empty cells come last
    if (typeof one === typeof other) return one < other ? -1 : one > other ? 1 : 0;
    return typeof one === "number" ? -1 : 1;
  };
  const compareTurned = (one, other, turned) => (one === null || other === null || !turned ? 1 : -1) * compare(one, other);
  // The heading's text becomes a button.
  const buttonIn = (heading, pressed) => {
    const button = make("button", { type: "button" }, heading.textContent);
    heading.replaceChildren(button);
    button.addEventListener("click", pressed);
  };
  all("table.sortable").forEach((table) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, place) => buttonIn(heading, () => {
      const turned = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", turned ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, place), row]);
      rows.sort((a, b) => compareTurned(a[0], b[0], turned));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    }));
  });

  // --- the matrix: the reader's choices stand in the address, so that a view can be cited

  const table = document.getElementById("matrix-table");
  if (!table) return;
  const headings = all(".cases th[data-sort]", table);
  const cases = headings.slice(2).map((heading) => ({ name: heading.dataset.sort, title: heading.textContent }));
  const rows = [...table.tBodies[0].rows].map((element, place) => ({
    element, place, deque: element.dataset.deque, ranked: !element.classList.contains("reference"),
    traits: element.dataset.traits.split(" "), ratios: [...element.cells].slice(2).map((cell) => Number(cell.dataset.ratio) || null),
  }));
  const boxes = all('input[name="trait"]');
  const shows = document.getElementById("show"), references = document.getElementById("references");
  const fresh = () => ({ sort: "", down: false, weights: {}, traits: [], show: "ratio", references: true });
  let view = fresh();

  const weightRow = table.tHead.insertRow();
  weightRow.className = "weights";
  weightRow.append(make("th", { scope: "row" }, "weight in your mix"), make("td", { class: "mix" }));
  const inputs = cases.map((one) => {
    const input = make("input", { type: "number", min: "0", max: "100", step: "any", "aria-label": `weight of ${one.title}`, "data-case": one.name, placeholder: "0" });
    weightRow.append(make("td", {}, input));
    input.addEventListener("input", () => {
      const weight = Number(input.value);
      if (weight > 0 && Number.isFinite(weight)) view.weights[one.name] = Math.min(weight, 100); else delete view.weights[one.name];
      if (Object.keys(view.weights).length) Object.assign(view, { sort: "mix", down: false });
      else if (view.sort === "mix") view.sort = "";
      apply(true);
    });
    return input;
  });
  headings.forEach((heading) => buttonIn(heading, () => {
    const name = heading.dataset.sort;
    if (view.sort === name && view.down) Object.assign(view, { sort: "", down: false });
    else Object.assign(view, { down: view.sort === name, sort: name });
    apply(true);
  }));

  const ratioOf = (row, name) => row.ratios[cases.findIndex((one) => one.name === name)] ?? null;
  // As in the matrix: ratio_text of plots/pages/matrix.py.
  const ratioText = (ratio) => (ratio < 0.005 ? "<0.01" : ratio < 9.995 ? ratio.toFixed(2) : ratio < 99.95 ? ratio.toFixed(1) : ratio.toFixed(0));
  // The geometric mean of the ratios, by the weights; null if a deque lacks a case that counts.
  const mixOf = (row) => {
    let sum = 0, total = 0;
    for (const [name, weight] of Object.entries(view.weights)) {
      const ratio = ratioOf(row, name);
      if (!ratio) return null;
      sum += weight * Math.log(ratio);
      total += weight;
    }
    return total ? Math.exp(sum / total) : null;
  };
  const addressOf = () => {
    const parts = [];
    if (view.sort) parts.push(`sort=${view.down ? "-" : ""}${encodeURIComponent(view.sort)}`);
    const weights = Object.entries(view.weights).map(([name, weight]) => `${encodeURIComponent(name)}:${weight}`);
    if (weights.length) parts.push(`weights=${weights.join(",")}`);
    if (view.traits.length) parts.push(`traits=${view.traits.join(",")}`);
    if (view.show !== "ratio") parts.push(`show=${view.show}`);
    if (!view.references) parts.push("references=no");
    return parts.length ? `#${parts.join("&")}` : "#matrix";
  };
  const readAddress = () => {
    if (!location.hash.includes("=")) return false;
    view = fresh();
    for (const part of location.hash.slice(1).split("&")) {
      const [name, value = ""] = part.split("=");
      if (name === "sort") {
        const sort = decodeURIComponent(value.replace(/^-/, ""));
        if (headings.some((heading) => heading.dataset.sort === sort)) Object.assign(view, { sort, down: value.startsWith("-") });
      } else if (name === "weights") {
        for (const one of value.split(",")) {
          const cut = one.lastIndexOf(":");
          const which = decodeURIComponent(one.slice(0, cut)), weight = Number(one.slice(cut + 1));
          if (cases.some((known) => known.name === which) && weight > 0 && weight <= 100) view.weights[which] = weight;
        }
      } else if (name === "traits") view.traits = value.split(",").filter((trait) => boxes.some((box) => box.value === trait));
      else if (name === "show" && value === "value") view.show = value;
      else if (name === "references") view.references = value !== "no";
    }
    return true;
  };

  function apply(write) {
    const hasMix = Object.keys(view.weights).length > 0;
    table.classList.toggle("mixed", hasMix);
    inputs.forEach((input) => {
      if (document.activeElement !== input) input.value = view.weights[input.dataset.case] ?? "";
    });
    boxes.forEach((box) => { box.checked = view.traits.includes(box.value); });
    shows.value = view.show;
    references.checked = view.references;
    const fits = (traits) => view.traits.every((trait) => traits.includes(trait));
    rows.forEach((row) => {
      row.element.hidden = row.ranked ? !fits(row.traits) : !view.references;
      const mix = hasMix ? mixOf(row) : null;
      row.element.querySelector("td.mix").textContent = mix ? ratioText(mix) : hasMix ? "–" : "";
      all("td[data-ratio]", row.element).forEach((cell) => {
        cell.querySelector("span").textContent = view.show === "value" ? cell.dataset.value : cell.dataset.text;
      });
    });
    all("table.traits tbody tr").forEach((row) => { row.hidden = !fits(row.dataset.traits.split(" ")); });
    const keyOf = (row) => (view.sort === "deque" ? row.deque : view.sort === "mix" ? mixOf(row) : ratioOf(row, view.sort));
    const sorted = [...rows].sort((a, b) => {
      if (a.ranked !== b.ranked) return a.ranked ? -1 : 1;
      return (view.sort && compareTurned(keyOf(a), keyOf(b), view.down)) || a.place - b.place;
    });
    table.tBodies[0].append(...sorted.map((row) => row.element));
    headings.forEach((heading) => {
      if (heading.dataset.sort === view.sort) heading.setAttribute("aria-sort", view.down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    const ranked = rows.filter((row) => row.ranked), shown = ranked.filter((row) => !row.element.hidden);
    const sortedBy = view.sort === "mix" ? "your mix" : view.sort === "deque" ? "name" : (cases.find((one) => one.name === view.sort) || { title: "" }).title;
    document.getElementById("told").textContent =
      `${shown.length} of ${ranked.length} deques${sortedBy ? `, sorted by ${sortedBy}${view.down ? ", worst first" : ""}` : ""}.`;
    document.getElementById("cite").href = addressOf();
    if (write) history.replaceState(null, "", addressOf());
  }
  boxes.forEach((box) => box.addEventListener("change", () => {
    view.traits = boxes.filter((one) => one.checked).map((one) => one.value);
    apply(true);
  }));
  shows.addEventListener("change", () => { view.show = shows.value; apply(true); });
  references.addEventListener("change", () => { view.references = references.checked; apply(true); });
  document.getElementById("reset").addEventListener("click", () => { view = fresh(); apply(true); });
  addEventListener("hashchange", () => { if (readAddress()) apply(false); });
  const cited = readAddress();
  apply(false);
  if (cited) document.getElementById("matrix").scrollIntoView();
})();
