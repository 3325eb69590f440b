import { chartTexts } from '../../texts/charts.ts';
import { punctualityTexts } from '../../texts/punctuality.ts';
import { pageLanguage } from '../page/language.ts';

export const texts = punctualityTexts[pageLanguage()];
export const aroundCharts = chartTexts[pageLanguage()];

/** Shares with fewer observed calls are marked, since they are mostly chance. */
export const MIN_OBSERVED = 30;
/** Days with a lower coverage are marked, since the calls without an observation may differ. */
export const MIN_COVERAGE = 0.5;

/** Formats a delay limit in minutes and seconds: `5 min 30 s`. */
export function formatLimit(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return rest === 0 ? `${minutes} min` : minutes === 0 ? `${rest} s` : `${minutes} min ${rest} s`;
}
