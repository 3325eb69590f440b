/** Least contrast at which large, bold text on a coloured sign is readable (WCAG 2.1, 1.4.3). */
const READABLE_CONTRAST = 3;
const WHITE = 0xffffff;
const BLACK = 0x000000;

/**
 * Colours of a line's sign. A published text colour is kept where it can be read, else black or white takes its place,
 * whichever stands out more.
 * @param color 0xRRGGBB, or -1 where the publisher gives none: then there is no sign to colour
 * @param textColor likewise
 */
export function getLineColors(color: number, textColor: number): { colorHex?: string; textColorHex?: string } {
  if (color < 0) return {};
  const isReadable = textColor >= 0 && contrast(color, textColor) >= READABLE_CONTRAST;
  const better = contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
  return { colorHex: toHex(color), textColorHex: toHex(isReadable ? textColor : better) };
}

function toHex(color: number): string {
  return `#${color.toString(16).padStart(6, '0').toUpperCase()}`;
}

/** @see WCAG 2.1, "contrast ratio": 1 for equal colours, 21 for black on white */
export function contrast(a: number, b: number): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** @see WCAG 2.1, "relative luminance" */
function luminance(color: number): number {
  const channel = (shift: number) => {
    const value = ((color >> shift) & 0xff) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
}
