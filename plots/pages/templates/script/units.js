  // --- the machine's own units of time: one is chosen at the matrix, and the figures follow

  const units = new Map((data.units || []).map((unit) => [unit.name, unit]));
  const NANOSECONDS = { ns: 1, "\u00b5s": 1e3, ms: 1e6, s: 1e9 };
  const UNIT_OF = /(\(|\bin )(ns|\u00b5s|ms|s)( per item\)|\)|$|\n)/;
  let chosenUnit; // one of units, or undefined
  const short = (value) => (value >= 1e6 ? `${number(value / 1e6)} M` : value >= 1e4 ? `${number(value / 1e3)} k` : number(value));
  // A median of the matrix, in ns or operations a second; null if it is neither.
  const inOwnUnit = (kind, median) => (kind === "time" ? short(median / chosenUnit.ns) : kind === "rate" ? `${short(median * 1e-9 * chosenUnit.ns)} each` : null);

  const isOfPaper = (label) => /^paper\b/.test(label || "");
  // The picture in the chosen unit, without what is in another machine's: the papers' values.
  function inUnit(picture) {
    if (!chosenUnit) return picture;
    return { ...picture, frames: picture.frames.map((frame) => frameInUnit(frame)) };
  }
  function frameInUnit(frame) {
    const factors = ["x", "y"].map((name) => {
      const found = UNIT_OF.exec(frame[name].label || "");
      return found ? NANOSECONDS[found[2]] / chosenUnit.ns : 1;
    });
    if (frame.field || factors.every((factor) => factor === 1)) return frame;
    const axis = (name, factor) => {
      const { label, low, high, ticks, ...rest } = frame[name];
      if (factor === 1) return frame[name];
      const scaled = (value) => (absent(value) ? value : value * factor);
      return { ...rest, low: scaled(low), high: scaled(high), label: label.replace(UNIT_OF, `$1${chosenUnit.words}$3`),
        ticks: ticks && ticks.some(([, text]) => isNaN(text)) ? ticks.map(([at, text]) => [at * factor, text]) : undefined };
    };
    const layers = (frame.layers || []).filter((layer) => !isOfPaper(layer.label)).map((layer) => {
      const along = factors[sideways.has(layer.kind) ? 0 : 1]; // of the values
      const words = (text) => (/^[\d. [\],]+$/.test(text) ? text.replace(/[\d.]+/g, (one) => number(Number(one) * along)) : text);
      return { ...layer, marks: (layer.marks || []).map((mark) => mark.map((value, place) => (absent(value) ? value
        : place === WORDS_OF ? words(value) : place === X_OF ? value * factors[0] : place === Y_OF ? value * factors[1]
        : place === COUNT_OF ? value : value * along))) };
    });
    const texts = (frame.texts || []).filter(([, , words]) => !/^[\u2248<>=~\s]*\d/.test(words))
      .map(([x, y, ...rest]) => [x * factors[0], absent(y) ? y : y * factors[1], ...rest]);
    const rules = (frame.rules || []).map(([at, upright, ...rest]) => [at * factors[upright ? 0 : 1], upright, ...rest]);
    return { ...frame, x: axis("x", factors[0]), y: axis("y", factors[1]), layers, texts, rules, arrows: [] };
  }
