import { chartTexts } from '../../texts/charts.ts';
import { punctualityTexts } from '../../texts/punctuality.ts';
import { pageLanguage } from '../page/language.ts';

export const texts = punctualityTexts[pageLanguage()];
export const aroundCharts = chartTexts[pageLanguage()];

/** Shares of fewer observed calls are mostly chance, and are marked. */
export const MIN_OBSERVED = 30;
/** Below it a day is marked: what was not observed may have been otherwise. */
export const MIN_COVERAGE = 0.5;

/** A limit of delay in minutes and seconds: `5 min 30 s`. */
export function formatLimit(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return rest === 0 ? `${minutes} min` : minutes === 0 ? `${rest} s` : `${minutes} min ${rest} s`;
}
