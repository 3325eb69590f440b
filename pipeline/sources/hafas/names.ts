import type { StopName } from '../../model/realtime.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import type { HafasPlace } from './load-profile.ts';

export function toInstant(text: string | null | undefined): Instant | null {
  return text === null || text === undefined ? null : parseTimestamp(text);
}

/** The vehicle type before a line's name; boards show it as an icon. */
const VEHICLE_WORD = /^(?:bus|tram|str|stb|straßenbahn|u-bahn|s-bahn|fähre|schiff|ast)\s+(?=\S)/i;
const SPACED_NUMBER = /^([US])\s+(\d+)$/;

/** The line as riders know it: `Bus 13A` is 13A, `U      6` is U6; null for none. */
export function toLineLabel(name: string | null): string | null {
  const label = (name ?? '').trim().replace(VEHICLE_WORD, '').replace(SPACED_NUMBER, '$1$2').replace(/\s+/g, ' ');
  return label === '' ? null : label;
}

/** Country code first, as in `at:49:1349`. */
const IFOPT = /^[a-z]{2}:/;

/** The endpoint's own number of a stop, or its IFOPT id where the endpoint sends it: timetables use that. */
export function toStopName({ id, name, position, ifopt }: HafasPlace): StopName {
  const hasIfopt = ifopt !== null && IFOPT.test(ifopt);
  return {
    id: hasIfopt ? ifopt : id,
    idSpace: hasIfopt ? 'ifopt' : 'hafas',
    name,
    lat: position?.lat ?? null,
    lon: position?.lon ?? null,
  };
}
