import type { HafasPlace } from '../../formats/hafas/hafas-profile.ts';
import type { StopName } from '../../model/realtime.ts';

/** Country code first, as in `at:49:1349`. */
const IFOPT = /^[a-z]{2}:/;

/** The endpoint's own number of a stop, or its IFOPT id where the endpoint tells that: timetables know it. */
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
