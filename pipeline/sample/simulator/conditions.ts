import type { ServiceDate } from '../../model/service-time.ts';
import { listServicesOn } from '../feed/calendar.ts';
import { variation } from '../feed/variation.ts';
import { seededRandom } from './seeded-random.ts';

/** Conditions of a day for all vehicles: weather, rush hours, and lines with a bad hour. */
export interface Conditions {
  /** 1 on a fine day; above in rain and snow. */
  readonly weather: number;
  /** Load of a line at a time of the service day: around 1 at the peak of a working day, never below 0. */
  stressAt(lineId: string, seconds: number): number;
}

const KNOT_SECONDS = 1800;
/** Half hours of slightly more than two days; later the values of the first day repeat. */
const KNOTS = 100;

export function buildConditions(date: ServiceDate, seed: number): Conditions {
  const weather = weatherOf(date, seed);
  const isWorkday = listServicesOn(date).has('weekday');
  const luckByLine = new Map<string, Float64Array>();
  return {
    weather,
    stressAt(lineId, seconds) {
      const luck = luckByLine.get(lineId) ?? drawLuck(lineId, date, seed);
      luckByLine.set(lineId, luck);
      const knot = Math.max(0, seconds) / KNOT_SECONDS;
      const before = luck[Math.floor(knot) % KNOTS]!;
      const after = luck[(Math.floor(knot) + 1) % KNOTS]!;
      return weather * rush(seconds, isWorkday) * (before + (after - before) * (knot % 1));
    },
  };
}

/** Four days in five are fine; a quarter of the others are extreme. */
function weatherOf(date: ServiceDate, seed: number): number {
  const luck = seededRandom(seed, `weather ${date}`)();
  if (luck < 0.8) return 1;
  // Snow in winter, storms in summer, rain in between.
  const isExtreme = luck >= 0.95 && !['03', '04', '10'].includes(date.slice(5, 7));
  return isExtreme ? 2 : 1.4;
}

/** By half hour, from 0.3 to 1.7; most lie in the middle. */
function drawLuck(lineId: string, date: ServiceDate, seed: number): Float64Array {
  return Float64Array.from({ length: KNOTS }, (_, knot) => {
    const key = `stress ${date} ${lineId} ${knot}`;
    return 0.3 + 0.7 * (variation(seed, key) + variation(seed + 1, key));
  });
}

/** A working day has two peaks; the other days have a long and gentle one. */
function rush(seconds: number, isWorkday: boolean): number {
  const hour = (seconds / 3600) % 24;
  if (!isWorkday) return 0.25 + 0.3 * bump(hour, 15, 4);
  return 0.3 + 0.8 * bump(hour, 7.75, 1) + 0.9 * bump(hour, 17, 1.5);
}

function bump(hour: number, peak: number, width: number): number {
  return Math.exp(-(((hour - peak) / width) ** 2));
}
