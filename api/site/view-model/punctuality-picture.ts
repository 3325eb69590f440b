import { escapeMarkup } from '../../../pipeline/model/escape-markup.ts';
import type { PunctualityDay, PunctualityShares } from '../../contract/site-charts.ts';
import type { Language } from '../texts/languages.ts';
import { plainPunctualityTexts } from '../texts/plain-punctuality.ts';
import { type DayBar, listShareBars, MIN_OBSERVED } from './plain-punctuality.ts';

interface Picture {
  readonly name: string;
  /** One sentence. */
  readonly verdict: string;
  readonly bars: readonly DayBar[];
  readonly language: Language;
}

interface SharesPicture extends Pick<Picture, 'name' | 'language'> {
  readonly totals: PunctualityShares | null;
  readonly days: readonly PunctualityDay[];
}

const [WIDTH, HEIGHT, MARGIN] = [480, 160, 20];
const BARS_HEIGHT = 48;
const BARS_BOTTOM = HEIGHT - 34;
const MAX_NAME_CHARACTERS = 34;
const colors = { good: '#116c3c', warn: '#b3640a', bad: '#b3091f', unknown: '#8b8f94' } as const;

/** Draws a picture of the share of punctual calls, with a bar for each day. */
export function drawPunctuality({ name, totals, days, language }: SharesPicture): string {
  return drawPicture({ name, verdict: describeShare(totals, language), bars: listShareBars(days), language });
}

/** Draws an SVG of fixed size and colours, since other sites embed it. */
export function drawPicture({ name, verdict, bars, language }: Picture): string {
  const texts = plainPunctualityTexts[language];
  const shown = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 1)}…` : name;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif">`,
    `<title>${escapeMarkup(`${name}: ${verdict}`)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="12" fill="#ffffff"/>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="12" fill="none" stroke="#e0ddd4"/>`,
    writeText(36, 20, shown, true),
    writeText(60, 15, verdict),
    ...drawBars(bars),
    writeText(HEIGHT - 13, 11, texts.pictureSource),
    '</svg>\n',
  ].join('\n');
}

function describeShare(totals: PunctualityShares | null, language: Language): string {
  const texts = plainPunctualityTexts[language];
  const share = totals?.on_time_share ?? null;
  if (totals === null || share === null) return texts.pictureNothing;
  return totals.observed < MIN_OBSERVED ? texts.few(totals.observed) : texts.pictureShare(Math.round(share * 100));
}

function writeText(y: number, size: number, text: string, isBold = false): string {
  const weight = isBold ? ' font-weight="700"' : '';
  return `<text x="${MARGIN}" y="${y}" font-size="${size}"${weight} fill="#1a1e24">${escapeMarkup(text)}</text>`;
}

function drawBars(bars: readonly DayBar[]): string[] {
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, bars.length);
  return bars.map(({ height: share, kind }, i) => {
    const height = share === null ? 2 : Math.max(2, share * BARS_HEIGHT);
    const [x, y] = [MARGIN + i * step, BARS_BOTTOM - height].map((at) => at.toFixed(1));
    return `<rect x="${x}" y="${y}" width="${(step * 0.8).toFixed(1)}" height="${height.toFixed(1)}" fill="${colors[kind]}"/>`;
  });
}
