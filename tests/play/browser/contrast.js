// Texts of the page whose contrast is below that of WCAG 2.2, level AA (1.4.3), as words.
() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parsed = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
    return { rgb: [red, green, blue], alpha: alpha / 255 };
  };
  const over = (front, alpha, back) => front.map((one, at) => one * alpha + back[at] * (1 - alpha));
  const parent = (element) => element.parentElement ?? element.getRootNode().host;
  const chain = (element) => (element ? [element, ...chain(parent(element))] : []);
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((one) => (one <= 10.31 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest("[disabled], option, script, style, .unseen")) continue;
    const above = chain(element);
    const opacity = above.reduce((product, one) => product * Number(getComputedStyle(one).opacity), 1);
    const back = above.reverse().reduce((below, one) => {
      const { rgb, alpha } = parsed(getComputedStyle(one).backgroundColor);
      return over(rgb, alpha, below);
    }, dark ? [18, 18, 18] : [255, 255, 255]);
    const { fontSize, fontWeight, color } = getComputedStyle(element);
    const ink = parsed(color);
    const front = over(ink.rgb, ink.alpha * opacity, back);
    const [high, low] = [luminance(front), luminance(back)].sort((one, other) => other - one);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) found.add(`${ratio.toFixed(2)}: ${text.slice(0, 40)} (${element.className || element.tagName})`);
  }
  return [...found];
}
