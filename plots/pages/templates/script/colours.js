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
  let printing = false; // on white paper
  const pageColour = () => (printing ? "" : getComputedStyle(root).getPropertyValue("--page").trim()) || "#ffffff";
  // The colour, moved towards black or white until it contrasts with the page.
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
