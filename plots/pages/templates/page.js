"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const holder = document.getElementById("data");
  const data = holder ? JSON.parse(holder.textContent) : { pictures: {}, dashes: {}, matrix: null };
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const drawn = (name, attributes = {}, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Three significant digits, or all before the point, as everywhere in the suite.
  const number = (value) => {
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size < 0.01) return String(Number(value.toPrecision(2)));
    return value.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
  };
  // As the matrix: ratio_text of plots/pages/matrix.py.
  const ratioText = (ratio) => (ratio < 0.005 ? "<0.01" : ratio < 9.995 ? ratio.toFixed(2) : ratio < 99.95 ? ratio.toFixed(1) : ratio.toFixed(0));

  // --- light and dark

  const luminance = (colour) => {
    const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  let printing = false; // on white paper, whatever the screen's ground
  const pageColour = () => (printing ? "" : getComputedStyle(root).getPropertyValue("--page").trim()) || "#ffffff";
  // The colour, moved towards black or white until it can be seen on the page.
  const seen = (colour, least = 3) => {
    if (!/^#[0-9a-f]{6}$/i.test(colour)) return colour;
    const page = pageColour();
    const end = luminance(page) > 0.5 ? 0 : 255;
    let now = colour;
    for (let step = 1; step <= 20 && contrast(now, page) < least; step++) {
      now = "#" + [1, 3, 5].map((at) => {
        const part = parseInt(colour.slice(at, at + 2), 16);
        return Math.round(part + (end - part) * step / 20).toString(16).padStart(2, "0");
      }).join("");
    }
    return now;
  };

  const themes = all(".theme button");
  const showTheme = () => themes.forEach((button) =>
    button.setAttribute("aria-pressed", String(button.dataset.theme === (root.dataset.theme || ""))));
  themes.forEach((button) => button.addEventListener("click", () => {
    root.dataset.theme = button.dataset.theme;
    try { localStorage.setItem("stealbench-theme", button.dataset.theme); } catch (error) { /* for this visit only */ }
    showTheme();
    redrawAll();
  }));
  showTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redrawAll());

  // --- tables: taken out of their noscript when unfolded, sorted by any column

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
  // What report.py's packed() made.
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
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1; // what is empty comes last
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

  function tableOfMarks(details) {
    const picture = data.pictures[details.dataset.of];
    if (!picture) return;
    const tick = (axis, value) => ((axis.ticks || []).find(([at]) => at === value) || [null, String(value)])[1];
    const rows = picture.frames.flatMap((frame, place) => (frame.layers || []).flatMap((layer) => (layer.marks || []).map((mark) => {
      const [x, y, low, high, count, , text] = mark;
      const side = sideways.has(layer.kind);
      return [frame.title || String(place + 1), layer.label || "", side ? String(x) : tick(frame.x, x), side ? tick(frame.y, y) : String(y), low, high, count, text]
        .map((value) => (value === null || value === undefined ? "" : value));
    })));
    details.querySelector(".scroll").append(tableOf({ headings: ["frame", "series", "x", "y", "low", "high", "invocations", "text"], numeric: [4, 5, 6], rows }));
  }

  all("button.copy").forEach((button) => button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
    } catch (error) { // not allowed, or not from a file: it stands there selected
      getSelection().selectAllChildren(code);
      button.textContent = "selected";
    }
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  }));

  // --- a figure

  const DASHES = data.dashes || {};
  const shapePath = (shape, x, y, r) => {
    const polygon = (...points) => "M" + points.map(([a, b]) => `${(x + a * r).toFixed(1)} ${(y + b * r).toFixed(1)}`).join("L") + "Z";
    const cross = (...lines) => lines.map(([a, b, c, d]) => `M${(x + a * r).toFixed(1)} ${(y + b * r).toFixed(1)}L${(x + c * r).toFixed(1)} ${(y + d * r).toFixed(1)}`).join("");
    switch (shape) {
      case "square": return polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]);
      case "triangle_up": return polygon([0, -1.15], [1.05, 0.8], [-1.05, 0.8]);
      case "triangle_down": return polygon([0, 1.15], [1.05, -0.8], [-1.05, -0.8]);
      case "diamond": return polygon([0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]);
      case "pentagon": return polygon([0, -1.1], [1.05, -0.34], [0.65, 0.89], [-0.65, 0.89], [-1.05, -0.34]);
      case "plus": return cross([-1.2, 0, 1.2, 0], [0, -1.2, 0, 1.2]);
      case "cross": return cross([-1, -1, 1, 1], [-1, 1, 1, -1]);
      case "star": return cross([-1.2, 0, 1.2, 0], [-0.6, -1, 0.6, 1], [-0.6, 1, 0.6, -1]);
      case "": return "";
      default: return `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
    }
  };
  const lookOf = (layer) => ({ colour: seen(layer.colour), dash: DASHES[layer.dash] || "none" });
  function swatch(layer) {
    const svg = drawn("svg", { viewBox: "0 0 34 14", "aria-hidden": "true" });
    const { colour, dash } = lookOf(layer);
    if (layer.kind === "bars" || layer.kind === "band") {
      svg.append(drawn("rect", { x: 4, y: 2, width: 26, height: 10, fill: layer.hollow ? "none" : colour, stroke: colour }));
    } else {
      if (layer.kind === "curve" || layer.kind === "line") svg.append(drawn("path", { d: "M1 7H33", stroke: colour, "stroke-width": layer.width || 1, "stroke-dasharray": dash, fill: "none" }));
      if (layer.kind !== "line") svg.append(drawn("path", { d: shapePath(layer.shape || "", 17, 7, 4), fill: layer.hollow ? "none" : colour, stroke: colour, "stroke-width": 1.3 }));
    }
    return svg;
  }

  const forwards = { linear: (v) => v, log: Math.log10, log2: Math.log2, asinh: Math.asinh };
  const backwards = { linear: (v) => v, log: (v) => 10 ** v, log2: (v) => 2 ** v, asinh: Math.sinh };
  function niceTicks(low, high, scale, room) {
    const count = Math.max(2, Math.min(8, Math.floor(room)));
    if (scale === "log" || scale === "log2" || (scale === "asinh" && low > 0)) {
      for (const steps of [[1, 2, 5], [1, 3], [1]]) {
        const found = [];
        for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
          for (const step of steps) if (step * 10 ** power >= low * 0.999 && step * 10 ** power <= high * 1.001) found.push(step * 10 ** power);
        if (found.length <= count + 1 || steps.length === 1) return found.length <= 2 * count ? found : found.filter((_, i) => i % Math.ceil(found.length / count) === 0);
      }
    }
    const raw = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((one) => one * power >= raw) * power;
    const found = [];
    for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) found.push(Math.abs(at) < step * 1e-6 ? 0 : Number(at.toPrecision(10)));
    return found;
  }
  const tickText = (value) => {
    const size = Math.abs(value);
    for (const [end, sign] of [[1e9, "G"], [1e6, "M"]]) if (size >= end) return `${Number((value / end).toPrecision(3))}${sign}`;
    return String(Number(value.toPrecision(4)));
  };
  const wrap = (text, width) => text.split("\n").flatMap((part) => {
    const lines = [""];
    for (const word of part.split(" ")) {
      if (lines[lines.length - 1] && (lines[lines.length - 1] + " " + word).length > width) lines.push(word);
      else lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + word;
    }
    return lines;
  });
  const LETTER = 6.6; // a letter's width at 12 px, on the safe side
  const ASIDE = 12;   // from a place to the text beside it

  class Figure {
    constructor(element) {
      this.element = element;
      this.box = element.querySelector(".picture");
      this.picture = data.pictures[element.dataset.picture];
      this.filtered = Boolean(element.closest("#frontier"));
      this.off = new Set();
      this.flipped = false;  // the other of linear and logarithmic
      this.each = false;     // per item
      this.layers = new Map();
      for (const frame of this.picture.frames) for (const layer of frame.layers || [])
        if (layer.label && !this.layers.has(layer.label)) this.layers.set(layer.label, layer);
      this.build();
    }

    valueAxis(frame) { return (frame.layers || []).some((layer) => sideways.has(layer.kind)) ? "x" : "y"; }
    canFlip(frame) {
      const axis = frame[this.valueAxis(frame)];
      if (frame.field || !(frame.layers || []).length || !["", "log", undefined].includes(axis.scale)) return false;
      const place = this.valueAxis(frame) === "x" ? 0 : 1;
      if (axis.ticks && axis.scale !== "log") return false;
      return frame.layers.every((layer) => layer.kind !== "band" && (layer.marks || []).every((mark) => mark[place] > 0 && !mark[5]));
    }

    build() {
      this.element.classList.add("live");
      this.tip = make("div", { class: "tip", role: "status", "aria-live": "polite" });
      const tools = make("div", { class: "tools" });
      const toggle = (name, words, change) => {
        const button = make("button", { type: "button", "aria-pressed": "false", "data-tool": name }, words);
        button.addEventListener("click", () => {
          change();
          button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
          this.draw();
        });
        tools.append(button);
      };
      const flippable = this.picture.frames.filter((frame) => this.canFlip(frame));
      if (flippable.length) {
        const first = flippable[0][this.valueAxis(flippable[0])];
        toggle("scale", first.scale === "log" ? "linear" : "logarithmic", () => { this.flipped = !this.flipped; });
      }
      if (this.picture.items) toggle("items", "per item", () => { this.each = !this.each; });
      this.legend = make("div", { class: "series", role: "group", "aria-label": "Series" });
      for (const [label, layer] of this.layers) {
        if (!(layer.marks || []).length) { this.legend.append(make("span", { class: "quiet" }, label)); continue; }
        const button = make("button", { type: "button", "aria-pressed": "true", "data-series": label });
        button.addEventListener("click", () => {
          if (!this.off.delete(label)) this.off.add(label);
          button.setAttribute("aria-pressed", String(!this.off.has(label)));
          this.draw();
        });
        this.legend.append(button);
      }
      this.box.replaceChildren();
      this.box.after(tools, this.legend);
      this.element.append(this.tip);
      this.draw();
    }

    shown(layer) { return !layer.label || !(this.off.has(layer.label) || this.filtered && hiddenSeries.has(layer.label)); }
    value(layer, mark, place) {
      const items = this.each && this.picture.items[layer.label];
      const divisor = items ? items[String(mark[0])] || 1 : 1;
      return mark[place] === null || mark[place] === undefined ? mark[place] : mark[place] / divisor;
    }

    draw() {
      all("button[data-series]", this.legend).forEach((button) => {
        const label = button.dataset.series;
        button.hidden = this.filtered && hiddenSeries.has(label);
        button.replaceChildren(swatch(this.layers.get(label)), label);
      });
      const width = Math.max(260, Math.min(this.box.clientWidth || 640, 900));
      const columns = Math.max(1, Math.min(this.picture.columns || 1, Math.floor(width / 280)));
      const narrow = width / columns;
      // Where a window has room for fewer frames side by side, each that comes to stand at the left says itself what the one
      // left of it said for it: the names of the rows, the axis.
      const meant = this.picture.columns || 1;
      const frames = this.picture.frames.map((frame, place, all) => {
        const first = all[place - place % meant], ticks = frame.y.ticks || [], named = first.y.ticks || [];
        if (place % columns || place % meant === 0) return frame;
        const borrows = ticks.length > 0 && ticks.length === named.length && ticks.every(([at, words], i) => !words && at === named[i][0]);
        return { ...frame, y: { ...frame.y, ticks: borrows ? named : frame.y.ticks, label: frame.y.label || first.y.label } };
      });
      const height = Math.max(170, Math.min(this.picture.height * 88, this.picture.height > 4.5 ? 4000 : 380));
      this.spots = [];
      const parts = frames.map((frame, place) => this.frame(frame, (place % columns) * narrow, narrow, height));
      const rows = Math.ceil(frames.length / columns);
      const heights = Array.from({ length: rows }, (_, row) => Math.max(...parts.slice(row * columns, (row + 1) * columns).map((part) => part.height)));
      const svg = drawn("svg", { viewBox: `0 0 ${width} ${heights.reduce((a, b) => a + b, 0)}`, width, height: heights.reduce((a, b) => a + b, 0), role: "group", tabindex: "0",
        "aria-label": `${this.element.querySelector("h3").firstChild.textContent.trim()}: a figure; arrow keys go through its values` });
      let top = 0;
      parts.forEach((part, place) => {
        if (place && place % columns === 0) top += heights[Math.floor(place / columns) - 1];
        part.group.setAttribute("transform", `translate(${(place % columns) * narrow} ${top})`);
        part.spots.forEach((spot) => this.spots.push({ ...spot, px: spot.px + (place % columns) * narrow, py: spot.py + top }));
        svg.append(part.group);
      });
      const ring = drawn("circle", { r: 7, fill: "none", stroke: "currentColor", "stroke-width": 1.5, visibility: "hidden" });
      svg.append(ring);
      this.ring = ring;
      this.at = -1;
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const scale = width / box.width;
        this.show(this.nearest((event.clientX - box.left) * scale, (event.clientY - box.top) * scale));
      });
      svg.addEventListener("pointerleave", () => this.show(-1));
      svg.addEventListener("blur", () => this.show(-1));
      svg.addEventListener("keydown", (event) => this.key(event));
      this.svg = svg;
      this.tip.textContent = "";
      this.box.replaceChildren(svg);
    }

    nearest(x, y) {
      let best = -1, least = 900;
      this.spots.forEach((spot, place) => {
        const distance = spot.bar && Math.abs(spot.py - y) < spot.bar && x < spot.px + 20 ? Math.abs(spot.py - y) : (spot.px - x) ** 2 + (spot.py - y) ** 2;
        if (distance < least) { least = distance; best = place; }
      });
      return best;
    }

    key(event) {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const jump = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") this.show(-1);
      if (!this.spots.length || !(move || jump)) return;
      event.preventDefault();
      const count = this.spots.length;
      let at = this.at < 0 ? (move || jump) > 0 ? 0 : count - 1 : (this.at + (move || jump) + count) % count;
      if (jump && this.at >= 0) {
        const layer = this.spots[this.at].layer;
        for (let tries = 0; tries < count && this.spots[at].layer === layer; tries++) at = (at + jump + count) % count;
      }
      this.show(at);
    }

    show(place) {
      if (place === this.at) return;
      this.at = place;
      if (place < 0) { this.tip.textContent = ""; this.ring.setAttribute("visibility", "hidden"); return; }
      const spot = this.spots[place];
      this.tip.textContent = spot.text;
      this.ring.setAttribute("cx", spot.px);
      this.ring.setAttribute("cy", spot.py);
      this.ring.setAttribute("visibility", "visible");
      const scale = this.svg.getBoundingClientRect().width / this.svg.viewBox.baseVal.width;
      const left = Math.min(spot.px * scale + 12, this.element.clientWidth - this.tip.offsetWidth - 4);
      this.tip.style.left = `${Math.max(0, left)}px`;
      this.tip.style.top = `${this.box.offsetTop + spot.py * scale + 14}px`;
    }

    // What is said of a mark.
    told(frame, layer, mark) {
      const side = sideways.has(layer.kind);
      const [valueName, otherName] = side ? ["x", "y"] : ["y", "x"];
      const value = this.value(layer, mark, side ? 0 : 1);
      const other = mark[side ? 1 : 0];
      const tick = (frame[otherName].ticks || []).find(([at]) => Math.abs(at - other) < 0.5 && (side || at === other));
      const unit = (/\(([^()]*)\)\s*$/.exec((frame[valueName].label || "").split("\n")[0]) || ["", ""])[1];
      const heading = [layer.label, frame.title].filter(Boolean).join(", ");
      const place = tick ? tick[1].replace(/\n/g, " ") : number(other);
      const axis = (frame[otherName].label || "").split("\n")[0];
      const low = this.value(layer, mark, 2), high = this.value(layer, mark, 3);
      const interval = low === null || low === undefined ? "" : ` [${number(low)}, ${number(high)}]`;
      const count = mark[4] ? `\n${mark[4]} invocations` : "";
      return `${heading ? heading + "\n" : ""}${side ? place : `${axis ? axis + ": " : ""}${place}`}\n${number(value)}${interval} ${this.each ? `${unit} per item` : unit}`.trimEnd() + count;
    }

    frame(frame, left, width, wanted) {
      const group = drawn("g");
      const spots = [];
      const layers = (frame.layers || []).filter((layer) => this.shown(layer) && (layer.marks || []).length);
      const flips = this.flipped && this.canFlip(frame);
      const valueName = this.valueAxis(frame);
      const axes = {};
      for (const name of ["x", "y"]) {
        const axis = frame[name];
        const scale = axis.scale || "linear";
        axes[name] = { label: axis.label || "", ticks: axis.ticks || null, scale, low: axis.low, high: axis.high, steep: axis.steep };
        const mine = axes[name];
        if (name === valueName && (flips || this.each)) {
          const values = [];
          layers.forEach((layer) => layer.marks.forEach((mark) => {
            values.push(this.value(layer, mark, name === "x" ? 0 : 1));
            if (layer.kind !== "band") for (const place of [2, 3]) { const end = this.value(layer, mark, place); if (end > 0) values.push(end); }
          }));
          const logarithmic = flips ? scale !== "log" : scale === "log";
          const [least, most] = [Math.min(...values), Math.max(...values)];
          Object.assign(mine, { scale: logarithmic ? "log" : "linear", ticks: null, low: logarithmic ? least / 1.5 : 0, high: logarithmic ? most * 1.8 : most * 1.12 });
        } else if (mine.low === undefined || mine.low === null || mine.high === undefined || mine.high === null) {
          let values = [];
          layers.forEach((layer) => layer.marks.forEach((mark) => {
            values.push(mark[name === "x" ? 0 : 1]);
            if ((name === "x") === sideways.has(layer.kind)) for (const place of [2, 3]) if (typeof mark[place] === "number") values.push(mark[place]);
            if (name === "x" && layer.kind === "bars") values.push(mark[5] || 0);
          }));
          (frame.texts || []).forEach((text) => { const at = text[name === "x" ? 0 : 1]; if (typeof at === "number") values.push(at); });
          if (scale === "log" || scale === "log2") values = values.filter((value) => value > 0);
          if (mine.ticks) values.push(...mine.ticks.map(([at]) => at));
          if (!values.length) values = [0, 1];
          let [least, most] = [Math.min(...values), Math.max(...values)];
          if (least === most) [least, most] = scale === "linear" ? [least - 0.5, most + 0.5] : [least / 2, most * 2];
          const f = forwards[scale], b = backwards[scale];
          const pad = 0.05 * (f(most) - f(least));
          if (mine.low === undefined || mine.low === null) mine.low = b(f(least) - pad);
          if (mine.high === undefined || mine.high === null) mine.high = b(f(most) + pad);
        }
      }
      const title = frame.title ? wrap(frame.title, Math.floor((width - 60) / (LETTER + 1))) : [];
      const top = 8 + 15 * title.length;
      if (frame.field) {
        const rows = frame.field.rows;
        for (const [name, count] of [["x", rows[0] ? rows[0].length : 1], ["y", rows.length]])
          if (frame[name].low === undefined) Object.assign(axes[name], name === "x" ? { low: -0.5, high: count - 0.5 } : { low: count - 0.5, high: -0.5 });
      }
      // Ticks of y first: they say how much room is left for x.
      const own = (axis) => axis.ticks && axis.scale !== "log" ? axis.ticks : axis.ticks && axis.ticks.length <= 4 ? axis.ticks : axis.ticks && axis.ticks.some(([, text]) => isNaN(text)) ? axis.ticks : null;
      const yTicks = own(axes.y) || niceTicks(Math.min(axes.y.low, axes.y.high), Math.max(axes.y.low, axes.y.high), axes.y.scale, wanted / 45).map((at) => [at, tickText(at)]);
      const labelRoom = Math.floor(Math.max(6, 0.4 * width / LETTER));
      const yLines = yTicks.map(([, text]) => wrap(text, Math.min(26, labelRoom)));
      const before = Math.min(0.5 * width, 12 + LETTER * Math.max(1, ...yLines.flat().map((line) => line.length)) + (axes.y.label ? 18 : 0));
      const plotWidth = width - before - 12;
      const xTicks = own(axes.x) || niceTicks(Math.min(axes.x.low, axes.x.high), Math.max(axes.x.low, axes.x.high), axes.x.scale, plotWidth / 65).map((at) => [at, tickText(at)]);
      const fx = forwards[axes.x.scale], fy = forwards[axes.y.scale];
      const X = (value) => before + (fx(value) - fx(axes.x.low)) / (fx(axes.x.high) - fx(axes.x.low)) * plotWidth;
      const longest = Math.max(0, ...xTicks.map(([, text]) => Math.max(...text.split("\n").map((line) => line.length))));
      const gaps = xTicks.map(([at]) => X(at)).sort((a, b) => a - b).map((at, i, list) => (i ? at - list[i - 1] : Infinity));
      const steep = axes.x.ticks && (axes.x.steep || longest * LETTER > Math.min(...gaps)) && longest > 3;
      let kept = xTicks;
      if (!steep && Math.min(...gaps) < longest * LETTER * 0.95 + 4) { // numbers that would cover each other: some are left out
        let end = -Infinity;
        kept = [...xTicks].sort((a, b) => X(a[0]) - X(b[0])).filter(([at, text]) => {
          const half = text.length * LETTER / 2;
          if (X(at) - half < end + 4) return false;
          end = X(at) + half;
          return true;
        });
      }
      const xLabel = axes.x.label ? wrap(axes.x.label, Math.floor(plotWidth / LETTER)) : [];
      const below = (steep ? Math.min(110, 12 + longest * LETTER * 0.72) : 16 * Math.max(1, ...kept.map(([, text]) => text.split("\n").length))) + 8 + 15 * xLabel.length;
      const categories = axes.y.ticks && yTicks.length > 2 && valueName === "x";
      const plotHeight = Math.max(categories ? yLines.reduce((sum, lines) => sum + Math.max(22, 13 * lines.length + 6), 0) : 120, wanted - top - below);
      const bottom = top + plotHeight;
      const Y = (value) => bottom - (fy(value) - fy(axes.y.low)) / (fy(axes.y.high) - fy(axes.y.low)) * plotHeight;
      const clamp = (value, low, high) => Math.max(Math.min(value, Math.max(low, high)), Math.min(low, high));
      const text = (words, x, y, attributes = {}) => group.append(drawn("text", { x: x.toFixed(1), y: y.toFixed(1), fill: "currentColor", ...attributes }, words));
      const line = (d, attributes) => group.append(drawn("path", { d, fill: "none", stroke: "currentColor", ...attributes }));

      const titleAt = Math.max(2, Math.min(before, width - 4 - (LETTER + 1) * Math.max(0, ...title.map((words) => words.length))));
      title.forEach((words, i) => text(words, titleAt, 14 + 15 * i, { "font-weight": 600 }));
      if (frame.ground) group.append(drawn("rect", { x: X(frame.ground[0]), y: top, width: Math.max(0, X(frame.ground[1]) - X(frame.ground[0])), height: plotHeight, fill: "var(--raised)" }));
      if (frame.grid === "x" || frame.grid === "both") xTicks.forEach(([at]) => line(`M${X(at).toFixed(1)} ${top}V${bottom}`, { stroke: "var(--grid)", "stroke-width": 0.7 }));
      if (frame.grid === "y" || frame.grid === "both") yTicks.forEach(([at]) => line(`M${before} ${Y(at).toFixed(1)}H${before + plotWidth}`, { stroke: "var(--grid)", "stroke-width": 0.7 }));
      if (frame.field) {
        const known = frame.field.rows.flat().filter((value) => value !== null);
        const [least, most] = [Math.min(...known), Math.max(...known)];
        frame.field.rows.forEach((row, r) => row.forEach((value, c) => {
          if (value === null) return;
          const share = most > least ? (value - least) / (most - least) : 0.5;
          const box = { x: Math.min(X(c - 0.5), X(c + 0.5)), y: Math.min(Y(r - 0.5), Y(r + 0.5)), width: Math.abs(X(c + 0.5) - X(c - 0.5)), height: Math.abs(Y(r + 0.5) - Y(r - 0.5)) };
          group.append(drawn("rect", { ...box, fill: share < 0.5 ? `color-mix(in srgb, #00224E ${100 - 200 * share}%, #7C7B78)` : `color-mix(in srgb, #FEE838 ${200 * share - 100}%, #7C7B78)` }));
          spots.push({ px: box.x + box.width / 2, py: box.y + box.height / 2, layer: r, text: `${(xTicks.find(([at]) => at === c) || ["", c])[1]}, ${(yTicks.find(([at]) => at === r) || ["", r])[1]}\n${frame.field.label}: ${number(value)}` });
        }));
      }
      (frame.rules || []).forEach(([at, upright, colour, dash]) => line(upright ? `M${X(at)} ${top}V${bottom}` : `M${before} ${Y(at)}H${before + plotWidth}`, { stroke: seen(colour), "stroke-dasharray": DASHES[dash] || "none", "stroke-width": 1.1 }));

      layers.forEach((layer) => {
        const { colour, dash } = lookOf(layer);
        const side = sideways.has(layer.kind);
        const stroke = { stroke: colour, "stroke-width": Math.max(1, layer.width || 1), "stroke-dasharray": dash };
        const at = layer.marks.map((mark) => {
          const x = side ? this.value(layer, mark, 0) : mark[0], y = side ? mark[1] : this.value(layer, mark, 1);
          return { mark, x, y, px: X(x), py: Y(y), low: this.value(layer, mark, 2), high: this.value(layer, mark, 3) };
        }).filter((one) => Number.isFinite(one.px) && Number.isFinite(one.py));
        const clip = { left: before, right: before + plotWidth };
        if (layer.kind === "band") {
          const ends = at.filter((one) => typeof one.low === "number");
          if (ends.length) group.append(drawn("path", { fill: colour, stroke: "none", d: "M" + [...ends.map((one) => `${one.px.toFixed(1)} ${clamp(Y(one.low), top, bottom).toFixed(1)}`), ...[...ends].reverse().map((one) => `${one.px.toFixed(1)} ${clamp(Y(one.high), top, bottom).toFixed(1)}`)].join("L") + "Z" }));
          return;
        }
        if (layer.kind === "curve" || layer.kind === "line")
          line("M" + at.map((one) => `${one.px.toFixed(1)} ${clamp(one.py, top - 20, bottom + 20).toFixed(1)}`).join("L"), stroke);
        if (layer.kind === "bars") {
          const half = Math.max(1.5, Math.abs(Y(0) - Y(1)) * (layer.thickness || 0.7) / 2);
          at.forEach((one) => {
            const start = axes.x.scale === "linear" ? X(one.mark[5] || 0) : clip.left;
            const end = clamp(one.px, clip.left, clip.right);
            group.append(drawn("rect", { x: Math.min(start, end).toFixed(1), y: (one.py - half).toFixed(1), width: Math.max(0.5, Math.abs(end - start)).toFixed(1), height: (2 * half).toFixed(1),
              fill: layer.hollow ? "none" : colour, stroke: layer.hollow || layer.hatched ? colour : "none", "fill-opacity": layer.hatched ? 0.45 : 1 }));
          });
        }
        const intervals = at.filter((one) => typeof one.low === "number" && typeof one.high === "number").map((one) => side
          ? `M${clamp(X(one.low), clip.left, clip.right).toFixed(1)} ${one.py.toFixed(1)}H${clamp(X(one.high), clip.left, clip.right).toFixed(1)}m0-2.5v5M${clamp(X(one.low), clip.left, clip.right).toFixed(1)} ${(one.py - 2.5).toFixed(1)}v5`
          : `M${one.px.toFixed(1)} ${clamp(Y(one.low), top, bottom).toFixed(1)}V${clamp(Y(one.high), top, bottom).toFixed(1)}`).join("");
        if (intervals && layer.kind !== "line") line(intervals, { stroke: layer.kind === "bars" ? "currentColor" : colour, "stroke-width": 1.2 });
        if (layer.kind !== "bars" && layer.kind !== "line" && layer.shape) {
          const d = at.filter((one) => one.py > top - 5 && one.py < bottom + 5).map((one) => shapePath(layer.shape, one.px, one.py, 3.6 * (layer.size || 1))).join("");
          group.append(drawn("path", { d, fill: layer.hollow ? "none" : colour, stroke: colour, "stroke-width": 1.2 }));
        }
        if (layer.kind === "bars") at.forEach((one) => {
          const words = one.mark[6];
          if (!words) return;
          const behind = Math.max(one.px, typeof one.high === "number" ? X(one.high) : 0);
          const room = clip.right - behind;
          if (words.length * 6 + 6 <= room) text(words, behind + 5, one.py + 4, { class: "small" });
        });
        at.forEach((one) => spots.push({ px: clamp(one.px, clip.left, clip.right), py: clamp(one.py, top, bottom), layer, bar: layer.kind === "bars" ? Math.abs(Y(0) - Y(1)) * (layer.thickness || 0.7) / 2 : 0, text: this.told(frame, layer, one.mark) }));
      });

      if (!this.each) (frame.arrows || []).forEach(([x, y, way]) => {
        const [px, py] = [X(x), Y(y)];
        if (py < top || py > bottom) return;
        line(`M${px} ${py}v${-16 * way}m-3.5 ${6 * way}l3.5 ${-6 * way}l3.5 ${6 * way}`, { stroke: seen("#8A8A8A"), "stroke-width": 1.2 });
      });
      const written = []; // boxes of the texts that stand there
      if (!this.each) (frame.texts || []).forEach(([x, y, words, align, colour]) => {
        const px = X(x);
        const py = y === null || y === undefined ? top + 10 : Y(y);
        if (!Number.isFinite(px) || !Number.isFinite(py)) return;
        const lines = words.split("\n");
        const length = Math.max(...lines.map((one) => one.length)) * LETTER;
        let anchor = { left: "start", right: "end", center: "middle" }[align] || "start";
        let place = px + ({ left: ASIDE, right: -ASIDE }[align] || 0);
        if (anchor === "start" && place + length > width) [anchor, place] = px - length - 5 > 0 ? ["end", px - ASIDE] : ["end", width - 2];
        const start = place - { start: 0, end: length, middle: length / 2 }[anchor];
        const box = { left: start, right: start + length, top: clamp(py, top, bottom) - 6, words };
        const other = written.find((one) => one.left < box.right && box.left < one.right && Math.abs(one.top - box.top) < 13);
        if (other && other.words === words) return; // it says it for both
        const up = other ? -13 * lines.length : 0;
        box.top += up;
        written.push(box);
        lines.forEach((one, i) => text(one, place, clamp(py, top, bottom) + up + 4 + 13 * i, { "text-anchor": anchor, class: "small", fill: seen(colour || "#303030", 4.5), stroke: "var(--page)", "stroke-width": 3, "paint-order": "stroke" }));
      });
      if (frame.says) wrap(frame.says, 28).forEach((words, i) => text(words, before + plotWidth / 2, top + plotHeight / 2 + 15 * i, { "text-anchor": "middle", fill: "var(--quiet)" }));

      line(`M${before} ${top}V${bottom}H${before + plotWidth}`, { "stroke-width": 1 });
      kept.forEach(([at, words]) => {
        const px = X(at);
        if (px < before - 1 || px > before + plotWidth + 1) return;
        line(`M${px.toFixed(1)} ${bottom}v4`, { "stroke-width": 1 });
        if (steep) text(words.replace(/\n/g, " ").slice(0, 26), px + 3, bottom + 14, { "text-anchor": "end", transform: `rotate(-40 ${(px + 3).toFixed(1)} ${bottom + 14})`, class: "small" });
        else words.split("\n").forEach((one, i) => text(one, Math.min(px, width - one.length * LETTER / 2), bottom + 16 + 13 * i, { "text-anchor": "middle" }));
      });
      yTicks.forEach(([at], i) => {
        const py = Y(at);
        if (py < top - 1 || py > bottom + 1) return;
        yLines[i].forEach((words, j) => text(words, before - 6, py + 4 + 13 * (j - (yLines[i].length - 1) / 2), { "text-anchor": "end" }));
      });
      xLabel.forEach((words, i) => text(words, before + plotWidth / 2, bottom + below - 15 * (xLabel.length - i - 1) - 2, { "text-anchor": "middle" }));
      if (axes.y.label) {
        const words = this.each && valueName === "y" ? `${axes.y.label}, per item` : axes.y.label;
        const lines = wrap(words, Math.max(12, Math.floor(plotHeight / LETTER)));
        lines.slice(0, 1).forEach((one) => text(one, 0, 0, { "text-anchor": "middle", transform: `translate(11 ${(top + plotHeight / 2).toFixed(1)}) rotate(-90)` }));
      }
      return { group, spots, height: bottom + below + 8 };
    }
  }

  const figures = [];
  const hiddenSeries = new Set(); // titles of deques that the filters leave out, in the frontier
  function redrawAll() {
    figures.forEach((figure) => figure.draw());
    drawMarks();
  }
  const waiting = new Map();
  const begin = (element) => {
    if (!waiting.has(element)) return;
    waiting.delete(element);
    figures.push(new Figure(element));
  };
  const watcher = "IntersectionObserver" in window ? new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (entry.isIntersecting) { watcher.unobserve(entry.target); begin(entry.target); }
  }), { rootMargin: "600px" }) : null;
  all("figure[data-picture]").forEach((element) => {
    const picture = data.pictures[element.dataset.picture];
    if (!picture) return;
    waiting.set(element, true);
    const rows = Math.ceil(picture.frames.length / (picture.columns || 1));
    element.querySelector(".picture").style.minHeight = `${Math.min(picture.height, 4.3) * 88 * rows}px`;
    if (watcher) watcher.observe(element); else begin(element);
  });
  const print = (now) => {
    const ground = pageColour();
    printing = now;
    [...waiting.keys()].forEach(begin);
    if (pageColour() !== ground) redrawAll();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  let lastWidth = innerWidth, soon = 0;
  addEventListener("resize", () => {
    if (innerWidth === lastWidth) return;
    lastWidth = innerWidth;
    clearTimeout(soon);
    soon = setTimeout(redrawAll, 120);
  });

  // --- the matrix: what a reader chose stands in the address, so that a view can be cited

  const table = document.getElementById("matrix-table");
  const drawMarks = () => {
    if (!table || !data.matrix) return;
    for (const row of table.tBodies[0].rows) {
      const look = data.matrix.looks && data.matrix.looks[row.dataset.deque];
      const spot = row.querySelector(".mark");
      if (!look || !spot) continue;
      const svg = drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
      svg.append(drawn("path", { d: shapePath(look[1], 7, 7, 5), fill: seen(look[0]), stroke: seen(look[0]), "stroke-width": 1.5 }));
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

  // The geometric mean of the ratios, by the weights; null where a deque lacks a case that counts.
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
      const weight = view.weights[input.dataset.case];
      if (document.activeElement !== input) input.value = weight === undefined ? "" : weight;
    });
    boxes.forEach((box) => { box.checked = view.traits.includes(box.value); });
    shows.value = view.show;
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
        if (span) span.textContent = view.show === "value" ? row.values[place] : ratioText(row.ratios[place]);
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
    figures.filter((figure) => figure.element.closest("#frontier")).forEach((figure) => figure.draw());
  }
  boxes.forEach((box) => box.addEventListener("change", () => {
    view.traits = boxes.filter((one) => one.checked).map((one) => one.value);
    apply(true);
  }));
  shows.addEventListener("change", () => { view.show = shows.value; apply(true); });
  references.addEventListener("change", () => { view.references = references.checked; apply(true); });
  document.getElementById("reset").addEventListener("click", () => { view = fresh(); apply(true); });
  addEventListener("hashchange", () => { if (readAddress()) apply(false); });
  if (readAddress()) { apply(false); document.getElementById("matrix").scrollIntoView(); } else apply(false);
})();
