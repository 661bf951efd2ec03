  // --- all figures: a figure is drawn when it comes near the window

  const figures = [];
  const hiddenSeries = new Set(); // titles of deques that the filters hide in the frontier
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
