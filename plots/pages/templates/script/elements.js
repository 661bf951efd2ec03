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

  // What is open on a wide screen is folded on a small one.
  if (matchMedia("(max-width: 47.9rem)").matches) all("details.wide").forEach((details) => { details.open = false; });
