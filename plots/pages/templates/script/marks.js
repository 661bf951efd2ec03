  // --- marks: shapes, colours, scales and their ticks

  const X_OF = 0, Y_OF = 1, LOW_OF = 2, HIGH_OF = 3, COUNT_OF = 4, START_OF = 5, WORDS_OF = 6; // places in a mark (embedded.py)
  const absent = (value) => value === undefined || value === null;
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
  const LETTER = 6.6; // a wide letter's width at 12 px
  const ASIDE = 12;   // from a place to the text beside it
