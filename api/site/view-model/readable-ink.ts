/** Minimum contrast of normal text, WCAG 2.2. */
const MIN_CONTRAST = 4.5;
const [WHITE, BLACK] = ['#ffffff', '#000000'];

/** Chooses the text colour on a line colour: that of the feed if it is readable, otherwise black or white. */
export function chooseInk(background: string, wanted: string | undefined): string {
  if (wanted !== undefined && findContrast(background, wanted) >= MIN_CONTRAST) return wanted;
  return findContrast(background, WHITE) >= findContrast(background, BLACK) ? WHITE : BLACK;
}

/** @param one as `#rrggbb` @see WCAG 2.2, contrast ratio */
export function findContrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(findLuminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function findLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
