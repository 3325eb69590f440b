import type { PunctualityDay } from '../../contract/site-charts.ts';
import { type Html, html } from '../shell/html.ts';
import { type DayBar, listShareBars } from '../view-model/plain-punctuality.ts';

const BAR = 10;
const HEIGHT = 40;

/** One bar for each day: its share of punctual calls, or a stub without data. @param label for screen readers */
export function drawDays(days: readonly PunctualityDay[], label: string): Html {
  return drawBars(listShareBars(days), label);
}

/** @param label for screen readers */
export function drawBars(days: readonly DayBar[], label: string): Html {
  const bars = days.map(({ height: share, kind }, i) => {
    const height = share === null ? 3 : Math.max(2, share * HEIGHT);
    return html`<rect class="bar-${kind}" x="${i * BAR + 1}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR - 2}" height="${height.toFixed(1)}"/>`;
  });
  return html`<svg class="day-bars" viewBox="0 0 ${days.length * BAR} ${HEIGHT}" role="img" aria-label="${label}">${bars}</svg>`;
}
