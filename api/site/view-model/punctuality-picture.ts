import { escapeMarkup } from '../../../pipeline/model/escape-markup.ts';
import type { PunctualityDay, PunctualityShares } from '../../contract/site-charts.ts';
import type { Language } from '../texts/languages.ts';
import { plainPunctualityTexts } from '../texts/plain-punctuality.ts';
import { MIN_OBSERVED, rateShare } from './plain-punctuality.ts';

interface Picture {
  readonly name: string;
  readonly totals: PunctualityShares | null;
  readonly days: readonly PunctualityDay[];
  readonly language: Language;
}

const [WIDTH, HEIGHT, MARGIN] = [480, 160, 20];
const BARS_HEIGHT = 48;
const BARS_BOTTOM = HEIGHT - 34;
const MAX_NAME_CHARACTERS = 34;
const colors = { good: '#116c3c', warn: '#b3640a', bad: '#b3091f' } as const;
const UNKNOWN = '#8b8f94';

/** An SVG of fixed size and colours, since it is shown among the content of another site. */
export function drawPunctuality({ name, totals, days, language }: Picture): string {
  const texts = plainPunctualityTexts[language];
  const verdict = describeShare(totals, language);
  const shown = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 1)}…` : name;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif">`,
    `<title>${escapeMarkup(`${name}: ${verdict}`)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="12" fill="#ffffff"/>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="12" fill="none" stroke="#e0ddd4"/>`,
    writeText(36, 20, shown, true),
    writeText(60, 15, verdict),
    ...drawBars(days),
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

function drawBars(days: readonly PunctualityDay[]): string[] {
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, days.length);
  return days.map(({ on_time_share: share }, i) => {
    const height = share === null ? 2 : Math.max(2, share * BARS_HEIGHT);
    const [x, y] = [MARGIN + i * step, BARS_BOTTOM - height].map((at) => at.toFixed(1));
    const fill = share === null ? UNKNOWN : colors[rateShare(share)];
    return `<rect x="${x}" y="${y}" width="${(step * 0.8).toFixed(1)}" height="${height.toFixed(1)}" fill="${fill}"/>`;
  });
}
