  // --- a figure: its frames, its series, its tooltips

  class Figure {
    constructor(element) {
      this.element = element;
      this.box = element.querySelector(".picture");
      this.picture = data.pictures[element.dataset.picture];
      this.filtered = Boolean(element.closest("#frontier"));
      this.off = new Set();
      this.flipped = false;  // linear instead of logarithmic, or the reverse
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
      const place = this.valueAxis(frame) === "x" ? X_OF : Y_OF;
      if (axis.ticks && axis.scale !== "log") return false;
      return frame.layers.every((layer) => layer.kind !== "band" && (layer.marks || []).every((mark) => mark[place] > 0 && !mark[START_OF]));
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
      const divisor = items ? items[String(mark[X_OF])] || 1 : 1;
      return absent(mark[place]) ? mark[place] : mark[place] / divisor;
    }

    draw() {
      const picture = inUnit(this.picture);
      all("button[data-series]", this.legend).forEach((button) => {
        const label = button.dataset.series;
        button.hidden = this.filtered && hiddenSeries.has(label) || Boolean(chosenUnit) && isOfPaper(label);
        button.replaceChildren(swatch(this.layers.get(label)), label);
      });
      const width = Math.max(260, Math.min(this.box.clientWidth || 640, 900));
      const columns = Math.max(1, Math.min(picture.columns || 1, Math.floor(width / 280)));
      const narrow = width / columns;
      // A frame at the left names its rows and its axis.
      const meant = picture.columns || 1;
      const frames = picture.frames.map((frame, place, all) => place % columns ? frame
        : { ...frame, y: { ...frame.y, hidden: false, label: frame.y.label || all[place - place % meant].y.label } });
      const height = Math.max(170, Math.min(picture.height * 88, picture.height > 4.5 ? 4000 : 380));
      this.spots = [];
      const parts = frames.map((frame) => new Frame(this, frame, narrow, height));
      const rows = Math.ceil(frames.length / columns);
      const heights = Array.from({ length: rows }, (_, row) => Math.max(...parts.slice(row * columns, (row + 1) * columns).map((part) => part.height)));
      const whole = heights.reduce((a, b) => a + b, 0);
      const svg = drawn("svg", { viewBox: `0 0 ${width} ${whole}`, width, height: whole, role: "group", tabindex: "0",
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

    // The tooltip of a mark.
    told(frame, layer, mark) {
      const side = sideways.has(layer.kind);
      const [valueName, otherName] = side ? ["x", "y"] : ["y", "x"];
      const value = this.value(layer, mark, side ? X_OF : Y_OF);
      const other = mark[side ? Y_OF : X_OF];
      const unit = (/\(([^()]*)\)\s*$/.exec((frame[valueName].label || "").split("\n")[0]) || ["", ""])[1];
      const heading = [layer.label, frame.title].filter(Boolean).join(", ");
      const place = (nameAt(frame[otherName], other, side) || number(other)).replace(/\n/g, " ");
      const axis = (frame[otherName].label || "").split("\n")[0];
      const low = this.value(layer, mark, LOW_OF), high = this.value(layer, mark, HIGH_OF);
      const interval = absent(low) ? "" : ` [${number(low)}, ${number(high)}]`;
      const count = mark[COUNT_OF] ? `\n${mark[COUNT_OF]} invocations` : "";
      return `${heading ? heading + "\n" : ""}${side ? place : `${axis ? axis + ": " : ""}${place}`}\n${number(value)}${interval} ${this.each ? `${unit} per item` : unit}`.trimEnd() + count;
    }
  }
