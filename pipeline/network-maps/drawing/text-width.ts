/**
 * Advance widths of Helvetica and the fonts of its metrics (Arial, Liberation Sans), thousandths of the font size, for
 * the characters from space to tilde.
 */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
/** Width of most characters of other scripts. */
const OTHER_WIDTH = 667;
const WIDE_WIDTH = 1000;
/** Allowance for slightly wider fonts. */
const SAFETY = 1.06;

/** The width of a text in a sans-serif font of normal weight, in pixels; rather too wide than too narrow. */
export function textWidth(text: string, fontSize: number): number {
  let sum = 0;
  for (const character of text.normalize('NFD')) sum += widthOf(character);
  return (sum / 1000) * fontSize * SAFETY;
}

function widthOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  const code = character.codePointAt(0)!;
  // Chinese, Japanese and Korean characters are squares.
  return WIDTHS[code - 32] ?? (code >= 0x1100 ? WIDE_WIDTH : OTHER_WIDTH);
}
