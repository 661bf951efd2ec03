  // --- a frame of a figure: its axes, its measures, then its contents from the ground up

  const clamp = (value, low, high) => Math.max(Math.min(value, Math.max(low, high)), Math.min(low, high));

  class Frame {
    // wanted: its least height.
    constructor(figure, frame, width, wanted) {
      Object.assign(this, { figure, frame, width, group: drawn("g"), spots: [] });
      this.layers = (frame.layers || []).filter((layer) => figure.shown(layer) && (layer.marks || []).length);
      this.valueName = figure.valueAxis(frame);
      this.flips = figure.flipped && figure.canFlip(frame);
      this.axes = { x: this.axis("x"), y: this.axis("y") };
      this.measure(wanted);
      this.drawGround();
      this.layers.forEach((layer) => this.drawLayer(layer));
      if (!figure.each) {
        this.drawArrows();
        this.drawTexts();
      }
      this.drawAxes();
    }

    // --- axes

    axis(name) {
      const { label, ticks, hidden, scale, low, high, steep } = this.frame[name];
      const shown = hidden && ticks ? ticks.map(([at]) => [at, ""]) : ticks || null;
      const axis = { label: label || "", ticks: shown, scale: scale || "linear", low, high, steep };
      if (name === this.valueName && (this.flips || this.figure.each)) this.fitToValues(axis, name);
      else if (absent(low) || absent(high)) this.fitToMarks(axis, name);
      if (this.frame.field && low === undefined) {
        const rows = this.frame.field.rows, columns = rows[0] ? rows[0].length : 1;
        Object.assign(axis, name === "x" ? { low: -0.5, high: columns - 0.5 } : { low: rows.length - 0.5, high: -0.5 });
      }
      return axis;
    }

    // The axis of values with the other scale, or per item: the picture's own ends do not fit.
    fitToValues(axis, name) {
      const values = [];
      this.layers.forEach((layer) => layer.marks.forEach((mark) => {
        values.push(this.figure.value(layer, mark, name === "x" ? X_OF : Y_OF));
        if (layer.kind === "band") return;
        for (const place of [LOW_OF, HIGH_OF]) {
          const end = this.figure.value(layer, mark, place);
          if (end > 0) values.push(end);
        }
      }));
      const logarithmic = this.flips ? axis.scale !== "log" : axis.scale === "log";
      const [least, most] = [Math.min(...values), Math.max(...values)];
      Object.assign(axis, { ticks: null }, logarithmic ? { scale: "log", low: least / 1.5, high: most * 1.8 }
        : { scale: "linear", low: 0, high: most * 1.12 });
    }

    // Ends that the picture leaves open: wide enough for every mark, text and tick.
    fitToMarks(axis, name) {
      const place = name === "x" ? X_OF : Y_OF;
      let values = [];
      this.layers.forEach((layer) => layer.marks.forEach((mark) => {
        values.push(mark[place]);
        if ((name === "x") === sideways.has(layer.kind)) values.push(...[mark[LOW_OF], mark[HIGH_OF]].filter((end) => typeof end === "number"));
        if (name === "x" && layer.kind === "bars") values.push(mark[START_OF] || 0);
      }));
      values.push(...(this.frame.texts || []).map((text) => text[place]).filter((at) => typeof at === "number"));
      if (axis.scale === "log" || axis.scale === "log2") values = values.filter((value) => value > 0);
      if (axis.ticks) values.push(...axis.ticks.map(([at]) => at));
      if (!values.length) values = [0, 1];
      let [least, most] = [Math.min(...values), Math.max(...values)];
      if (least === most) [least, most] = axis.scale === "linear" ? [least - 0.5, most + 0.5] : [least / 2, most * 2];
      const forward = forwards[axis.scale], backward = backwards[axis.scale];
      const pad = 0.05 * (forward(most) - forward(least));
      if (absent(axis.low)) axis.low = backward(forward(least) - pad);
      if (absent(axis.high)) axis.high = backward(forward(most) + pad);
    }

    // [[place, text]]: the picture's own if they are names, or few.
    ticksOf(axis, room) {
      const own = axis.ticks && (axis.scale !== "log" || axis.ticks.length <= 4 || axis.ticks.some(([, text]) => isNaN(text)));
      if (own) return axis.ticks;
      return niceTicks(Math.min(axis.low, axis.high), Math.max(axis.low, axis.high), axis.scale, room).map((at) => [at, tickText(at)]);
    }

    // --- measures: where the plot begins and ends

    measure(wanted) {
      const { x, y } = this.axes, { width } = this;
      this.title = this.frame.title ? wrap(this.frame.title, Math.floor((width - 60) / (LETTER + 1))) : [];
      this.top = 8 + 15 * this.title.length;
      // The ticks of y first: their width leaves the room for x.
      this.yTicks = this.ticksOf(y, wanted / 45);
      this.yLines = this.yTicks.map(([, text]) => wrap(text, Math.min(26, Math.floor(Math.max(6, 0.4 * width / LETTER)))));
      this.left = Math.min(0.5 * width, 12 + LETTER * Math.max(1, ...this.yLines.flat().map((line) => line.length)) + (y.label ? 18 : 0));
      this.plotWidth = width - this.left - 12;
      this.right = this.left + this.plotWidth;
      const forward = forwards[x.scale];
      this.X = (value) => this.left + (forward(value) - forward(x.low)) / (forward(x.high) - forward(x.low)) * this.plotWidth;
      this.measureBelow();
      const rows = this.yLines.reduce((sum, lines) => sum + Math.max(22, 13 * lines.length + 6), 0);
      const named = y.ticks && this.yTicks.length > 2 && this.valueName === "x";
      this.plotHeight = Math.max(named ? rows : 120, wanted - this.top - this.below);
      this.bottom = this.top + this.plotHeight;
      const upward = forwards[y.scale];
      this.Y = (value) => this.bottom - (upward(value) - upward(y.low)) / (upward(y.high) - upward(y.low)) * this.plotHeight;
      this.height = this.bottom + this.below + 8;
    }

    // The ticks of x. Names that would overlap are turned; of numbers that would overlap some are left out.
    measureBelow() {
      const { x } = this.axes, { X } = this;
      this.xTicks = this.ticksOf(x, this.plotWidth / 65);
      const longest = Math.max(0, ...this.xTicks.map(([, text]) => Math.max(...text.split("\n").map((line) => line.length))));
      const gaps = this.xTicks.map(([at]) => X(at)).sort((a, b) => a - b).map((at, i, list) => (i ? at - list[i - 1] : Infinity));
      this.steep = x.ticks && (x.steep || longest * LETTER > Math.min(...gaps)) && longest > 3;
      this.xShown = this.xTicks;
      if (!this.steep && Math.min(...gaps) < longest * LETTER * 0.95 + 4) {
        let end = -Infinity;
        this.xShown = [...this.xTicks].sort((a, b) => X(a[0]) - X(b[0])).filter(([at, text]) => {
          const half = text.length * LETTER / 2;
          if (X(at) - half < end + 4) return false;
          end = X(at) + half;
          return true;
        });
      }
      this.xLabel = x.label ? wrap(x.label, Math.floor(this.plotWidth / LETTER)) : [];
      const lines = Math.max(1, ...this.xShown.map(([, text]) => text.split("\n").length));
      this.below = (this.steep ? Math.min(110, 12 + longest * LETTER * 0.72) : 16 * lines) + 8 + 15 * this.xLabel.length;
    }

    // --- what is drawn

    text(words, x, y, attributes = {}) {
      this.group.append(drawn("text", { x: x.toFixed(1), y: y.toFixed(1), fill: "currentColor", ...attributes }, words));
    }

    line(d, attributes) {
      this.group.append(drawn("path", { d, fill: "none", stroke: "currentColor", ...attributes }));
    }

    // Places within the plot.
    within(px) { return clamp(px, this.left, this.right); }
    upTo(py, margin = 0) { return clamp(py, this.top - margin, this.bottom + margin); }

    drawGround() {
      const { frame, X, Y, top, bottom, left, right } = this;
      const titleAt = Math.max(2, Math.min(left, this.width - 4 - (LETTER + 1) * Math.max(0, ...this.title.map((words) => words.length))));
      this.title.forEach((words, i) => this.text(words, titleAt, 14 + 15 * i, { "font-weight": 600 }));
      if (frame.ground) {
        const [from, to] = frame.ground.map(X);
        this.group.append(drawn("rect", { x: from, y: top, width: Math.max(0, to - from), height: this.plotHeight, fill: "var(--raised)" }));
      }
      const grid = { stroke: "var(--grid)", "stroke-width": 0.7 };
      if (frame.grid === "x" || frame.grid === "both") this.xTicks.forEach(([at]) => this.line(`M${X(at).toFixed(1)} ${top}V${bottom}`, grid));
      if (frame.grid === "y" || frame.grid === "both") this.yTicks.forEach(([at]) => this.line(`M${left} ${Y(at).toFixed(1)}H${right}`, grid));
      if (frame.field) this.drawField(frame.field);
      (frame.rules || []).forEach(([at, upright, colour, dash]) => this.line(
        upright ? `M${X(at)} ${top}V${bottom}` : `M${left} ${Y(at)}H${right}`,
        { stroke: seen(colour), "stroke-dasharray": DASHES[dash] || "none", "stroke-width": 1.1 }));
    }

    // A matrix of values, as colours.
    drawField(field) {
      const { X, Y } = this;
      const known = field.rows.flat().filter((value) => value !== null);
      const [least, most] = [Math.min(...known), Math.max(...known)];
      const named = (ticks, place) => (ticks.find(([at]) => at === place) || ["", place])[1];
      field.rows.forEach((row, r) => row.forEach((value, c) => {
        if (value === null) return;
        const share = most > least ? (value - least) / (most - least) : 0.5;
        const [left, right, top, bottom] = [X(c - 0.5), X(c + 0.5), Y(r - 0.5), Y(r + 0.5)];
        const box = { x: Math.min(left, right), y: Math.min(top, bottom), width: Math.abs(right - left), height: Math.abs(bottom - top) };
        const fill = share < 0.5 ? `color-mix(in srgb, #00224E ${100 - 200 * share}%, #7C7B78)` : `color-mix(in srgb, #FEE838 ${200 * share - 100}%, #7C7B78)`;
        this.group.append(drawn("rect", { ...box, fill }));
        this.spots.push({ px: box.x + box.width / 2, py: box.y + box.height / 2, layer: r,
          text: `${named(this.xTicks, c)}, ${named(this.yTicks, r)}\n${field.label}: ${number(value)}` });
      }));
    }

    drawLayer(layer) {
      const { figure, X, Y } = this;
      const side = sideways.has(layer.kind);
      const marks = layer.marks.map((mark) => {
        const x = side ? figure.value(layer, mark, X_OF) : mark[X_OF], y = side ? mark[Y_OF] : figure.value(layer, mark, Y_OF);
        return { mark, px: X(x), py: Y(y), low: figure.value(layer, mark, LOW_OF), high: figure.value(layer, mark, HIGH_OF) };
      }).filter((one) => Number.isFinite(one.px) && Number.isFinite(one.py));
      if (layer.kind === "band") {
        this.drawBand(layer, marks);
        return;
      }
      const { colour, dash } = lookOf(layer);
      if (layer.kind === "curve" || layer.kind === "line")
        this.line("M" + marks.map((one) => `${one.px.toFixed(1)} ${this.upTo(one.py, 20).toFixed(1)}`).join("L"),
          { stroke: colour, "stroke-width": Math.max(1, layer.width || 1), "stroke-dasharray": dash });
      const half = layer.kind === "bars" ? Math.abs(Y(0) - Y(1)) * (layer.thickness || 0.7) / 2 : 0;
      if (layer.kind === "bars") this.drawBars(layer, marks, Math.max(1.5, half));
      const intervals = layer.kind === "line" ? "" : this.intervals(marks, side);
      if (intervals) this.line(intervals, { stroke: layer.kind === "bars" ? "currentColor" : colour, "stroke-width": 1.2 });
      if (layer.kind !== "bars" && layer.kind !== "line" && layer.shape) {
        const d = marks.filter((one) => one.py > this.top - 5 && one.py < this.bottom + 5)
          .map((one) => shapePath(layer.shape, one.px, one.py, 3.6 * (layer.size || 1))).join("");
        this.group.append(drawn("path", { d, fill: layer.hollow ? "none" : colour, stroke: colour, "stroke-width": 1.2 }));
      }
      if (layer.kind === "bars") this.drawWordsOfBars(marks);
      marks.forEach((one) => this.spots.push({ px: this.within(one.px), py: this.upTo(one.py), layer, bar: half, text: figure.told(this.frame, layer, one.mark) }));
    }

    drawBand(layer, marks) {
      const ends = marks.filter((one) => typeof one.low === "number");
      if (!ends.length) return;
      const at = (one, end) => `${one.px.toFixed(1)} ${this.upTo(this.Y(one[end])).toFixed(1)}`;
      const around = [...ends.map((one) => at(one, "low")), ...[...ends].reverse().map((one) => at(one, "high"))];
      this.group.append(drawn("path", { fill: lookOf(layer).colour, stroke: "none", d: "M" + around.join("L") + "Z" }));
    }

    drawBars(layer, marks, half) {
      const { colour } = lookOf(layer);
      marks.forEach((one) => {
        const start = this.axes.x.scale === "linear" ? this.X(one.mark[START_OF] || 0) : this.left;
        const end = this.within(one.px);
        this.group.append(drawn("rect", { x: Math.min(start, end).toFixed(1), y: (one.py - half).toFixed(1),
          width: Math.max(0.5, Math.abs(end - start)).toFixed(1), height: (2 * half).toFixed(1), fill: layer.hollow ? "none" : colour,
          stroke: layer.hollow || layer.hatched ? colour : "none", "fill-opacity": layer.hatched ? 0.45 : 1 }));
      });
    }

    // Behind the bar and its interval, if there is room.
    drawWordsOfBars(marks) {
      marks.forEach((one) => {
        const words = one.mark[WORDS_OF];
        if (!words) return;
        const behind = Math.max(one.px, typeof one.high === "number" ? this.X(one.high) : 0);
        if (words.length * 6 + 6 <= this.right - behind) this.text(words, behind + 5, one.py + 4, { class: "small" });
      });
    }

    // All intervals as one path; those sideways have a small stroke at each end.
    intervals(marks, side) {
      return marks.filter((one) => typeof one.low === "number" && typeof one.high === "number").map((one) => {
        if (!side) return `M${one.px.toFixed(1)} ${this.upTo(this.Y(one.low)).toFixed(1)}V${this.upTo(this.Y(one.high)).toFixed(1)}`;
        const [low, high] = [one.low, one.high].map((end) => this.within(this.X(end)).toFixed(1));
        return `M${low} ${one.py.toFixed(1)}H${high}m0-2.5v5M${low} ${(one.py - 2.5).toFixed(1)}v5`;
      }).join("");
    }

    drawArrows() {
      (this.frame.arrows || []).forEach(([x, y, way]) => {
        const [px, py] = [this.X(x), this.Y(y)];
        if (py < this.top || py > this.bottom) return;
        this.line(`M${px} ${py}v${-16 * way}m-3.5 ${6 * way}l3.5 ${-6 * way}l3.5 ${6 * way}`, { stroke: seen("#8A8A8A"), "stroke-width": 1.2 });
      });
    }

    // Beside their places. A text that would cover another stands above it, or is left out if it says the same.
    drawTexts() {
      const written = []; // boxes of the texts so far
      (this.frame.texts || []).forEach(([x, y, words, align, colour]) => {
        const px = this.X(x);
        const py = absent(y) ? this.top + 10 : this.Y(y);
        if (!Number.isFinite(px) || !Number.isFinite(py)) return;
        const lines = words.split("\n");
        const length = Math.max(...lines.map((one) => one.length)) * LETTER;
        let anchor = { left: "start", right: "end", center: "middle" }[align] || "start";
        let place = px + ({ left: ASIDE, right: -ASIDE }[align] || 0);
        if (anchor === "start" && place + length > this.width) [anchor, place] = ["end", px - length - 5 > 0 ? px - ASIDE : this.width - 2];
        const start = place - { start: 0, end: length, middle: length / 2 }[anchor];
        const box = { left: start, right: start + length, top: this.upTo(py) - 6, words };
        const other = written.find((one) => one.left < box.right && box.left < one.right && Math.abs(one.top - box.top) < 13);
        if (other && other.words === words) return;
        const up = other ? -13 * lines.length : 0;
        box.top += up;
        written.push(box);
        lines.forEach((one, i) => this.text(one, place, this.upTo(py) + up + 4 + 13 * i, { "text-anchor": anchor, class: "small",
          fill: seen(colour || "#303030", 4.5), stroke: "var(--page)", "stroke-width": 3, "paint-order": "stroke" }));
      });
    }

    drawAxes() {
      const { frame, left, right, top, bottom } = this;
      const middle = left + this.plotWidth / 2, centred = { "text-anchor": "middle" };
      if (frame.says) wrap(frame.says, 28).forEach((words, i) => this.text(words, middle, top + this.plotHeight / 2 + 15 * i, { ...centred, fill: "var(--quiet)" }));
      this.line(`M${left} ${top}V${bottom}H${right}`, { "stroke-width": 1 });
      this.xShown.forEach(([at, words]) => this.drawTickOfX(this.X(at), words));
      this.yTicks.forEach(([at], i) => {
        const py = this.Y(at), lines = this.yLines[i];
        if (py < top - 1 || py > bottom + 1) return;
        lines.forEach((words, j) => this.text(words, left - 6, py + 4 + 13 * (j - (lines.length - 1) / 2), { "text-anchor": "end" }));
      });
      this.xLabel.forEach((words, i) => this.text(words, middle, bottom + this.below - 15 * (this.xLabel.length - i - 1) - 2, centred));
      const { label } = this.axes.y;
      if (!label) return;
      const words = this.figure.each && this.valueName === "y" ? `${label}, per item` : label;
      const [first] = wrap(words, Math.max(12, Math.floor(this.plotHeight / LETTER)));
      this.text(first, 0, 0, { ...centred, transform: `translate(11 ${(top + this.plotHeight / 2).toFixed(1)}) rotate(-90)` });
    }

    drawTickOfX(px, words) {
      const { left, right, bottom } = this;
      if (px < left - 1 || px > right + 1) return;
      this.line(`M${px.toFixed(1)} ${bottom}v4`, { "stroke-width": 1 });
      if (this.steep) {
        const turned = `rotate(-40 ${(px + 3).toFixed(1)} ${bottom + 14})`;
        this.text(words.replace(/\n/g, " ").slice(0, 26), px + 3, bottom + 14, { "text-anchor": "end", transform: turned, class: "small" });
      } else words.split("\n").forEach((one, i) => this.text(one, Math.min(px, this.width - one.length * LETTER / 2), bottom + 16 + 13 * i, { "text-anchor": "middle" }));
    }
  }
