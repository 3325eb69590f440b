import { legWays } from '../../view-model/leg-ways.ts';
import { chooseInk } from '../../view-model/readable-ink.ts';
import type { DelayClass } from '../../view-model/vehicle-delay.ts';
import { readColor } from '../map-view/load-library.ts';

/** A text on the map, drawn by the browser as an image, because the library would need font files. */
type TextImage =
  | { readonly kind: 'name' | 'town'; readonly text: string }
  /** The label of a line beside it. @param color `#rrggbb`; null: without one */
  | { readonly kind: 'line'; readonly text: string; readonly color: string | null }
  /** A vehicle: the label of its line, and its delay. @param color `#rrggbb` */
  | { readonly kind: 'badge'; readonly text: string; readonly color: string; readonly delay: DelayClass }
  /** Number of shared bicycles at a station. */
  | { readonly kind: 'bikes'; readonly text: string; readonly isEmpty: boolean };

/** Key of an image, from which it is drawn when the map first needs it. */
export const imageKey = (image: TextImage): string => JSON.stringify(image);

/** Start of the key of a town's name: the map adds the name, and expressions of its style cannot write JSON. */
export const TOWN_IMAGE = 'town:';

/** Tokens of the colours of delays. */
export const DELAY_COLORS = {
  onTime: '--delay-on-time',
  late: '--delay-late',
  veryLate: '--delay-very-late',
  early: '--delay-early',
  unknown: '--delay-unknown',
} as const satisfies Readonly<Record<DelayClass, string>>;

const PIXEL_RATIO = 2;
const FONTS = {
  name: '500 12px system-ui, sans-serif',
  town: '600 13px system-ui, sans-serif',
  line: '600 11px system-ui, sans-serif',
  badge: '700 11px system-ui, sans-serif',
  bikes: '700 11px system-ui, sans-serif',
} as const;
const HEIGHT = { name: 18, town: 20, line: 19, badge: 20, bikes: 19 } as const;
const PADDING = { name: 4, town: 4, line: 6, badge: 7, bikes: 5 } as const;
/** Width of the bicycle sign before the number. */
const SIGN_PIXELS = 16;
/** Longer texts are cut. */
const MAX_LETTERS = 40;

/** Draws the image of a key; null for an unknown key. */
export function drawImage(name: string): { readonly data: ImageData; readonly pixelRatio: number } | null {
  const image = readName(name);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!image || !context) return null;
  const text = image.text.slice(0, MAX_LETTERS);
  context.font = FONTS[image.kind];
  const sign = image.kind === 'bikes' ? SIGN_PIXELS : 0;
  const width = Math.ceil(context.measureText(text).width) + 2 * PADDING[image.kind] + sign;
  const height = HEIGHT[image.kind];
  canvas.width = width * PIXEL_RATIO;
  canvas.height = height * PIXEL_RATIO;
  context.scale(PIXEL_RATIO, PIXEL_RATIO);
  // Setting the size of a canvas resets its font.
  context.font = FONTS[image.kind];
  context.textBaseline = 'middle';
  if (image.kind === 'badge') drawBadge(context, image, { text, width, height });
  else if (image.kind === 'line') drawLineLabel(context, image.color, { text, width, height });
  else if (image.kind === 'bikes') drawBikes(context, image.isEmpty, { text, width, height });
  else drawName(context, image.kind === 'town' ? '--soft' : '--ink', { text, height });
  return { data: context.getImageData(0, 0, canvas.width, canvas.height), pixelRatio: PIXEL_RATIO };
}

function readName(name: string): TextImage | null {
  if (name.startsWith(TOWN_IMAGE)) return { kind: 'town', text: name.slice(TOWN_IMAGE.length) };
  try {
    return JSON.parse(name) as TextImage;
  } catch {
    return null;
  }
}

interface Sized {
  readonly text: string;
  readonly height: number;
}

/** Draws a badge in the colour of the line, with an edge in that of the delay. */
function drawBadge(
  context: CanvasRenderingContext2D,
  { color, delay }: { readonly color: string; readonly delay: DelayClass },
  { text, width, height }: Sized & { readonly width: number },
): void {
  context.fillStyle = color;
  context.beginPath();
  context.roundRect(1.5, 1.5, width - 3, height - 3, 5);
  context.fill();
  // A pale line separates the edge from a badge of nearly its colour.
  for (const [token, lineWidth] of [
    ['--card', 3],
    [DELAY_COLORS[delay], 2],
  ] as const) {
    context.strokeStyle = readColor(token);
    context.lineWidth = lineWidth;
    context.stroke();
  }
  context.fillStyle = chooseInk(color, undefined);
  context.fillText(text, PADDING.badge, height / 2 + 0.5);
}

/** Draws the label of a line on a card with an edge in its colour; badges of vehicles are filled with it instead. */
function drawLineLabel(
  context: CanvasRenderingContext2D,
  color: string | null,
  { text, width, height }: Sized & { readonly width: number },
): void {
  context.fillStyle = readColor('--card');
  context.beginPath();
  context.roundRect(1.5, 1.5, width - 3, height - 3, 4);
  context.fill();
  // The outer edge is that of the lines, without which a dark colour would not be seen at night.
  for (const [edge, lineWidth] of [
    [readColor('--map-casing'), 3],
    [color ?? readColor('--soft'), 1.8],
  ] as const) {
    context.strokeStyle = edge;
    context.lineWidth = lineWidth;
    context.stroke();
  }
  context.fillStyle = readColor('--ink');
  context.fillText(text, PADDING.line, height / 2 + 0.5);
}

/** Draws a bicycle sign and the number of bicycles on a card, in a paler colour if there are none. */
function drawBikes(
  context: CanvasRenderingContext2D,
  isEmpty: boolean,
  { text, width, height }: Sized & { readonly width: number },
): void {
  const color = readColor(isEmpty ? '--soft' : '--way-bike');
  context.fillStyle = readColor('--card');
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(0.75, 0.75, width - 1.5, height - 1.5, 9);
  context.fill();
  context.stroke();
  context.fillStyle = color;
  context.fillText(text, PADDING.bikes + SIGN_PIXELS, height / 2 + 0.5);
  context.translate(PADDING.bikes - 1, 1);
  const scale = SIGN_PIXELS / 24;
  context.scale(scale, scale);
  context.lineWidth = 1.8;
  context.lineJoin = 'round';
  context.stroke(new Path2D(legWays.bike.sign));
}

function drawName(context: CanvasRenderingContext2D, color: '--ink' | '--soft', { text, height }: Sized): void {
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = readColor('--map-paper');
  context.strokeText(text, PADDING.name, height / 2);
  context.fillStyle = readColor(color);
  context.fillText(text, PADDING.name, height / 2);
}
