import { escapeMarkup } from '../../model/escape-markup.ts';
import { boundsOf } from './boxes.ts';
import type { DrawingSizes, LineDrawing, LinePart, Marker } from './draw-lines.ts';
import { unit } from './draw-lines.ts';
import type { MapLine, MapPoint } from './map-network.ts';
import { pointDistance } from './map-network.ts';
import {
  BADGE_FONT_SIZE,
  BADGE_HEIGHT,
  BADGE_ROW,
  BADGE_SPACE,
  type Badge,
  type Label,
  LINE_HEIGHT,
  widthOfBadge,
} from './place-labels.ts';
import { textWidth } from './text-width.ts';

/** Texts around the network. */
interface MapCaption {
  readonly title: string;
  /** Below the title. */
  readonly subtitle: string;
  readonly legendTitle: string;
  /** Credits and notes, a line each. */
  readonly notes: readonly string[];
  readonly language: string;
}

export interface LegendEntry {
  readonly line: number;
  /** e.g. the ends of the line. */
  readonly text: string;
}

interface MapPicture {
  readonly lines: readonly MapLine[];
  readonly drawing: LineDrawing;
  readonly labels: readonly Label[];
  readonly legend: readonly LegendEntry[];
  readonly caption: MapCaption;
  readonly sizes: DrawingSizes;
}

const FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif";
const MARGIN = 48;
const TITLE_SIZE = 34;
const SUBTITLE_SIZE = 15;
const NOTE_SIZE = 11;
const LEGEND_SIZE = 13;
const LEGEND_ROW = 26;
const LEGEND_BADGE_HEIGHT = 20;
const LEGEND_COLUMN = 330;
const MIN_WIDTH = 680;
/** Characters of a line of the notes, per pixel of width. */
const NOTE_LETTERS_PER_PIXEL = 1 / 5.6;

/** Colours follow the reader's theme by a media query, so one file suits light and dark pages. */
const STYLE = [
  ':root{--paper:#fff;--ink:#1b1f24;--soft:#5b6470}',
  '@media(prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#eef1f4;--soft:#a3adb8}}',
  `text{font-family:${FONT};fill:var(--ink)}`,
  '.paper{fill:var(--paper)}',
  '.line{fill:none;stroke-linejoin:round;stroke-linecap:round}',
  '.casing{fill:none;stroke:var(--paper);stroke-linejoin:round;stroke-linecap:butt}',
  '.stop{fill:var(--paper)}',
  '.change{fill:none;stroke:var(--ink);stroke-linecap:round}',
  '.change-inside{fill:none;stroke:var(--paper);stroke-linecap:round}',
  '.halo{stroke:var(--paper);stroke-width:3px;stroke-linejoin:round;paint-order:stroke}',
  '.soft{fill:var(--soft)}',
  '.bold{font-weight:700}',
  '.on-dark{fill:#fff}',
  '.on-light{fill:#000}',
].join('');

/** Writes the map as a self-contained file: no scripts, fonts or references. */
export function renderSvg(picture: MapPicture): string {
  const { caption, legend, lines } = picture;
  const network = boundsOfNetwork(picture);
  const width = Math.round(Math.max(MIN_WIDTH, network.east - network.west + 2 * MARGIN));
  const headHeight = MARGIN + TITLE_SIZE + SUBTITLE_SIZE + 36;
  const networkHeight = network.south - network.north;
  const shift = { x: (width - (network.east - network.west)) / 2 - network.west, y: headHeight - network.north };
  const columns = Math.max(1, Math.floor((width - 2 * MARGIN) / LEGEND_COLUMN));
  const legendTop = headHeight + networkHeight + 44;
  const legendHeight = 26 + Math.ceil(legend.length / columns) * LEGEND_ROW;
  const notes = caption.notes.flatMap((note) => wrap(note, (width - 2 * MARGIN) * NOTE_LETTERS_PER_PIXEL));
  const notesTop = legendTop + legendHeight + 18;
  const height = Math.round(notesTop + notes.length * NOTE_SIZE * 1.45 + MARGIN / 2);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" lang="${caption.language}" aria-labelledby="title">`,
    `<title id="title">${escapeXml(caption.title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    `<text class="bold" x="${MARGIN}" y="${MARGIN + TITLE_SIZE * 0.8}" font-size="${TITLE_SIZE}">${escapeXml(caption.title)}</text>`,
    `<text class="soft" x="${MARGIN}" y="${MARGIN + TITLE_SIZE + SUBTITLE_SIZE + 6}" font-size="${SUBTITLE_SIZE}">${escapeXml(caption.subtitle)}</text>`,
    `<g transform="translate(${format(shift.x)} ${format(shift.y)})">`,
    ...renderLines(picture),
    ...picture.drawing.markers.map((marker) => renderMarker(marker, picture.sizes)),
    ...picture.labels.map(renderLabel),
    '</g>',
    `<text class="bold" x="${MARGIN}" y="${legendTop}" font-size="${LEGEND_SIZE}">${escapeXml(caption.legendTitle)}</text>`,
    ...legend.map((entry, i) =>
      renderLegendEntry(entry, lines[entry.line]!, placeInLegend(i, legend.length, columns, legendTop + 26)),
    ),
    ...notes.map(
      (note, i) =>
        `<text class="soft" x="${MARGIN}" y="${format(notesTop + i * NOTE_SIZE * 1.45)}" font-size="${NOTE_SIZE}">${escapeXml(note)}</text>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

/** Escapes text for elements and attributes; characters forbidden in XML are dropped. */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids them, section 2.2
  const allowed = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, '');
  return escapeMarkup(allowed);
}

function boundsOfNetwork({ drawing, labels }: MapPicture) {
  const boxes = [
    ...labels.map(({ box }) => boundsOf(box)),
    ...drawing.bundles.flatMap(({ from, to, width }) => [from, to].map((point) => around(point, width))),
  ];
  return {
    west: Math.min(...boxes.map(({ west }) => west)),
    north: Math.min(...boxes.map(({ north }) => north)),
    east: Math.max(...boxes.map(({ east }) => east)),
    south: Math.max(...boxes.map(({ south }) => south)),
  };
}

const around = ({ x, y }: MapPoint, by: number) => ({ west: x - by, north: y - by, east: x + by, south: y + by });

function renderLines({ lines, drawing, sizes }: MapPicture): string[] {
  return lines.flatMap((line, i) => {
    const path = drawing.parts[i]!.map(renderPart).join('');
    const gap = sizes.pitch - sizes.lineWidth;
    return [
      // A background-coloured edge around each line shows which one is on top at a crossing.
      `<path class="casing" stroke-width="${format(sizes.lineWidth + 2 * gap)}" d="${path}"/>`,
      `<path class="line" stroke="${toHex(line.color)}" stroke-width="${format(sizes.lineWidth)}" d="${path}"><title>${escapeXml(line.label)}</title></path>`,
    ];
  });
}

function renderPart(part: LinePart): string {
  if (part.kind === 'curve') {
    const [first, second] = part.controls;
    return `M${point(part.from)}C${point(first)} ${point(second)} ${point(part.to)}`;
  }
  const { points, radius } = part;
  let text = `M${point(points[0]!)}`;
  for (let i = 1; i + 1 < points.length; i++) {
    const [before, here, after] = [points[i - 1]!, points[i]!, points[i + 1]!];
    const reach = Math.min(radius, pointDistance(before, here) * 0.48, pointDistance(here, after) * 0.48);
    text += `L${point(towards(here, before, reach))}Q${point(here)} ${point(towards(here, after, reach))}`;
  }
  return `${text}L${point(points.at(-1)!)}`;
}

function towards(from: MapPoint, to: MapPoint, distance: number): MapPoint {
  const { x, y } = unit(from, to);
  return { x: from.x + x * distance, y: from.y + y * distance };
}

function renderMarker({ kind, points }: Marker, { lineWidth }: DrawingSizes): string {
  if (kind === 'stop') {
    return points
      .map(({ x, y }) => `<circle class="stop" cx="${format(x)}" cy="${format(y)}" r="${format(lineWidth * 0.3)}"/>`)
      .join('');
  }
  const [from, to] = [points[0]!, points.at(-1)!];
  const path = `M${point(from)}L${point({ x: to.x + 0.01, y: to.y })}`;
  const outside = `<path class="change" stroke-width="${format(lineWidth + 5)}" d="${path}"/>`;
  return `${outside}<path class="change-inside" stroke-width="${format(lineWidth + 0.6)}" d="${path}"/>`;
}

function renderLabel(label: Label): string {
  const { lines, badges, at, anchor, turn, fontSize, isBold } = label;
  const rotate = turn === 0 ? '' : ` transform="rotate(${turn} ${point(at)})"`;
  const lineHeight = fontSize * LINE_HEIGHT;
  const anchorText = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  const top = at.y - (lines.length * lineHeight + (badges.length > 0 ? BADGE_ROW : 0)) / 2;
  const rows = lines.map((line, i) => {
    // The baseline of letters lies a third of their size below the middle of a row.
    const y = top + (i + 0.5) * lineHeight + fontSize * 0.34;
    return `<tspan x="${format(at.x)}" y="${format(y)}">${escapeXml(line)}</tspan>`;
  });
  const text = `<text class="halo${isBold ? ' bold' : ''}" font-size="${fontSize}"${anchorText}>${rows.join('')}</text>`;
  return `<g${rotate}>${text}${renderBadges(label, top + lines.length * lineHeight + BADGE_ROW / 2)}</g>`;
}

function renderBadges({ badges, at, anchor }: Label, middle: number): string {
  const widths = badges.map(widthOfBadge);
  const total = widths.reduce((sum, width) => sum + width + BADGE_SPACE, -BADGE_SPACE);
  let x = anchor === 'start' ? at.x : anchor === 'end' ? at.x - total : at.x - total / 2;
  return badges
    .map((badge, i) => {
      const place = { x, y: middle };
      x += widths[i]! + BADGE_SPACE;
      return renderBadge(badge, place, { width: widths[i]!, height: BADGE_HEIGHT, fontSize: BADGE_FONT_SIZE });
    })
    .join('');
}

/** @param place middle of its left side */
function renderBadge(
  { label, color }: Badge,
  { x, y }: MapPoint,
  { width, height, fontSize }: { readonly width: number; readonly height: number; readonly fontSize: number },
): string {
  const ink = isDark(color) ? 'on-dark' : 'on-light';
  return [
    `<rect x="${format(x)}" y="${format(y - height / 2)}" width="${format(width)}" height="${height}" rx="3.5" fill="${toHex(color)}"/>`,
    `<text class="bold ${ink}" x="${format(x + width / 2)}" y="${format(y + fontSize * 0.35)}" font-size="${fontSize}" text-anchor="middle">${escapeXml(label)}</text>`,
  ].join('');
}

function placeInLegend(index: number, count: number, columns: number, top: number): MapPoint {
  const rows = Math.ceil(count / columns);
  return { x: MARGIN + Math.floor(index / rows) * LEGEND_COLUMN, y: top + (index % rows) * LEGEND_ROW };
}

function renderLegendEntry({ text }: LegendEntry, { label, color }: MapLine, { x, y }: MapPoint): string {
  const badge = shorten(label, LEGEND_COLUMN * 0.6, LEGEND_SIZE);
  const width = Math.max(34, textWidth(badge, LEGEND_SIZE) * 1.09 + 14);
  const rest = shorten(text, LEGEND_COLUMN - width - 24, LEGEND_SIZE);
  const sign = renderBadge(
    { label: badge, color },
    { x, y },
    { width, height: LEGEND_BADGE_HEIGHT, fontSize: LEGEND_SIZE },
  );
  const name = `<text x="${format(x + width + 10)}" y="${format(y + LEGEND_SIZE * 0.34)}" font-size="${LEGEND_SIZE}">${escapeXml(rest)}</text>`;
  return sign + name;
}

function shorten(text: string, width: number, fontSize: number): string {
  if (textWidth(text, fontSize) <= width) return text;
  let end = text.length - 1;
  while (end > 1 && textWidth(`${text.slice(0, end)}…`, fontSize) > width) end -= 1;
  return `${text.slice(0, end).trim()}…`;
}

function wrap(text: string, letters: number): string[] {
  const rows: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + word.length < letters) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(word);
  }
  return rows;
}

/** Whether white text is more readable on a colour (WCAG 2.1, relative luminance). */
function isDark(color: number): boolean {
  const channel = (shift: number) => {
    const value = ((color >> shift) & 0xff) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0) < 0.19;
}

const toHex = (color: number) => `#${color.toString(16).padStart(6, '0')}`;
const point = ({ x, y }: MapPoint) => `${format(x)} ${format(y)}`;
const format = (value: number) => String(Math.round(value * 100) / 100);
