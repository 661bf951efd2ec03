  // --- the matrix: the reader's choices stand in the address, so that a view can be cited

  const table = document.getElementById("matrix-table");
  const drawMarks = () => {
    if (!table || !data.matrix) return;
    for (const row of table.tBodies[0].rows) {
      const look = data.matrix.looks && data.matrix.looks[row.dataset.deque];
      const spot = row.querySelector(".mark");
      if (!look || !spot) continue;
      const svg = drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
      svg.append(drawn("path", { d: shapePath(look.shape, 7, 7, 5), fill: seen(look.colour), stroke: seen(look.colour), "stroke-width": 1.5 }));
      spot.replaceChildren(svg);
    }
  };
  drawMarks();
  if (!table || !data.matrix) return;
  const cases = data.matrix.cases;
  const rowData = new Map(data.matrix.rows.map((row) => [row.deque, row]));
  const rowElements = [...table.tBodies[0].rows];
  const original = new Map(rowElements.map((row, place) => [row, place]));
  const boxes = all('input[name="trait"]');
  const shows = document.getElementById("show"), unitShown = document.getElementById("unit"), references = document.getElementById("references");
  const fresh = () => ({ sort: "", down: false, weights: {}, traits: [], show: "ratio", unit: "", references: true });
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
  const headings = all(".cases th[data-sort]", table);
  headings.forEach((heading) => {
    const button = make("button", { type: "button" }, heading.textContent);
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const name = heading.dataset.sort;
      if (view.sort === name && view.down) Object.assign(view, { sort: "", down: false });
      else Object.assign(view, { down: view.sort === name, sort: name });
      apply(true);
    });
  });

  // The geometric mean of the ratios, by the weights; null if a deque lacks a case that counts.
  const mixOf = (row) => {
    let sum = 0, total = 0;
    for (const [name, weight] of Object.entries(view.weights)) {
      const ratio = row.ratios[cases.findIndex((one) => one.name === name)];
      if (!(ratio > 0)) return null;
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
    if (view.unit) parts.push(`unit=${view.unit}`);
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
      else if (name === "unit" && units.has(value)) view.unit = value;
      else if (name === "references") view.references = value !== "no";
    }
    return true;
  };

  function apply(write) {
    const hasMix = Object.keys(view.weights).length > 0;
    table.classList.toggle("mixed", hasMix);
    inputs.forEach((input) => {
      const weight = view.weights[input.dataset.case];
      if (document.activeElement !== input) input.value = weight === undefined ? "" : weight;
    });
    boxes.forEach((box) => { box.checked = view.traits.includes(box.value); });
    shows.value = view.show;
    const unitBefore = chosenUnit;
    chosenUnit = units.get(view.unit);
    unitShown.value = view.unit;
    references.checked = view.references;
    const fits = (traits) => view.traits.every((trait) => traits.includes(trait));
    hiddenSeries.clear();
    let ranked = 0, shown = 0;
    rowElements.forEach((element) => {
      const row = rowData.get(element.dataset.deque);
      element.hidden = row.ranked ? !fits(row.traits) : !view.references;
      if (row.ranked) { ranked++; if (!element.hidden) shown++; else hiddenSeries.add(row.title); }
      const mix = hasMix ? mixOf(row) : null;
      element.querySelector("td.mix").textContent = mix === null ? (hasMix ? "–" : "") : ratioText(mix);
      [...element.cells].slice(2).forEach((cell, place) => {
        const span = cell.querySelector("span");
        const own = chosenUnit && row.medians[place] !== null ? inOwnUnit(cases[place].kind, row.medians[place]) : null;
        if (span) span.textContent = view.show === "value" ? own || row.values[place] : ratioText(row.ratios[place]);
      });
    });
    all("table.traits tbody tr").forEach((row) => { row.hidden = !fits(row.dataset.traits.split(" ")); });
    const keyOf = (element) => {
      const row = rowData.get(element.dataset.deque);
      if (view.sort === "deque") return row.deque;
      if (view.sort === "mix") return mixOf(row);
      return row.ratios[cases.findIndex((one) => one.name === view.sort)];
    };
    const sorted = [...rowElements].sort((a, b) => {
      const [one, other] = [rowData.get(a.dataset.deque), rowData.get(b.dataset.deque)];
      if (one.ranked !== other.ranked) return one.ranked ? -1 : 1;
      if (view.sort) {
        const [x, y] = [keyOf(a) ?? null, keyOf(b) ?? null];
        const order = x === null || y === null ? compare(x, y) : (view.down ? -1 : 1) * compare(x, y);
        if (order) return order;
      }
      return original.get(a) - original.get(b);
    });
    table.tBodies[0].append(...sorted);
    headings.forEach((heading) => {
      if (heading.dataset.sort === view.sort) heading.setAttribute("aria-sort", view.down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    const sortedBy = view.sort === "mix" ? "your mix" : view.sort === "deque" ? "name" : (cases.find((one) => one.name === view.sort) || { title: "" }).title;
    document.getElementById("told").textContent = `${shown} of ${ranked} deques${sortedBy ? `, sorted by ${sortedBy}${view.down ? ", worst first" : ""}` : ""}.`;
    document.getElementById("cite").href = addressOf();
    if (write) history.replaceState(null, "", addressOf());
    figures.filter((figure) => chosenUnit !== unitBefore || figure.element.closest("#frontier")).forEach((figure) => figure.draw());
  }
  boxes.forEach((box) => box.addEventListener("change", () => {
    view.traits = boxes.filter((one) => one.checked).map((one) => one.value);
    apply(true);
  }));
  shows.addEventListener("change", () => { view.show = shows.value; apply(true); });
  unitShown.addEventListener("change", () => { Object.assign(view, { unit: unitShown.value, show: unitShown.value ? "value" : view.show }); apply(true); });
  references.addEventListener("change", () => { view.references = references.checked; apply(true); });
  document.getElementById("reset").addEventListener("click", () => { view = fresh(); apply(true); });
  addEventListener("hashchange", () => { if (readAddress()) apply(false); });
  if (readAddress()) { apply(false); document.getElementById("matrix").scrollIntoView(); } else apply(false);
