  // --- tables: taken out of noscript when unfolded, sorted by any column

  const unfold = (details) => {
    const packed = details.querySelector("script.packed");
    all("noscript", details).forEach((hidden) => {
      const box = make("div");
      if (!packed) box.innerHTML = hidden.textContent;
      hidden.replaceWith(...box.childNodes);
      all("table.sortable", details).forEach(makeSortable);
    });
    if (packed) { packed.remove(); unpack(packed.textContent).then((table) => details.querySelector(".scroll").append(tableOf(table))); }
  };
  // Undoes report.py's packed().
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  };
  const tableOf = ({ headings, numeric, rows }) => {
    const table = make("table", { class: "sortable" });
    const head = table.createTHead().insertRow();
    const numbers = new Set(numeric);
    headings.forEach((heading, place) => head.append(make("th", numbers.has(place) ? { scope: "col", class: "number" } : { scope: "col" }, heading || "note")));
    const body = table.createTBody();
    rows.forEach((cells) => {
      const row = body.insertRow();
      cells.forEach((cell, place) => {
        if (place === 0) { row.append(make("th", { scope: "row" }, String(cell))); return; }
        const made = row.insertCell();
        made.textContent = cell;
        if (numbers.has(place)) made.className = "number";
      });
    });
    makeSortable(table);
    return table;
  };
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
  function makeSortable(table) {
    if (table.dataset.sortable) return;
    table.dataset.sortable = "yes";
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, place) => {
      const button = make("button", { type: "button" }, heading.textContent);
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const turned = heading.getAttribute("aria-sort") === "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", turned ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, place), row]);
        rows.sort((a, b) => (a[0] === null || b[0] === null ? 1 : turned ? -1 : 1) * compare(a[0], b[0]));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  }
  all("details.numbers").forEach((details) => details.addEventListener("toggle", () => {
    if (details.dataset.of && !details.querySelector("table")) tableOfMarks(details);
    unfold(details);
  }, { once: false }));
  all("table.sortable").forEach(makeSortable);
  const sideways = new Set(["across", "bars"]);
  // The text of a tick. near: of the row in which the value lies.
  const nameAt = (axis, value, near) => ((axis.ticks || []).find(([at]) => near ? Math.abs(at - value) < 0.5 : at === value) || [])[1];

  function tableOfMarks(details) {
    const picture = data.pictures[details.dataset.of];
    if (!picture) return;
    const rows = picture.frames.flatMap((frame, place) => (frame.layers || []).flatMap((layer) => (layer.marks || []).map((mark) => {
      const [x, y, low, high, count, , text] = mark;
      const side = sideways.has(layer.kind);
      return [frame.title || String(place + 1), layer.label || "", side ? x : nameAt(frame.x, x) || x, side ? nameAt(frame.y, y, true) || y : y, low, high, count, text]
        .map((value) => (value === null || value === undefined ? "" : value));
    })));
    details.querySelector(".scroll").append(tableOf({ headings: ["frame", "series", "x", "y", "low", "high", "invocations", "text"], numeric: [4, 5, 6], rows }));
  }

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
