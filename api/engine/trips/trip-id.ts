import { createHash } from 'node:crypto';
import { getStopId } from '../stop-ids.ts';
import type { Timetable } from '../timetable.ts';
import type { AskedPlace } from './places.ts';
import type { Run } from './run.ts';
import type { Timeline } from './timeline.ts';

/** To be raised when equal ids would no longer mean equal trips. */
const FORMAT = 1;

/**
 * Names a trip by what is ridden from where to where, and by no time that may change: it is the same in every answer. One
 * on foot all the way is named by when it begins.
 */
export function nameTrip(timetable: Timetable, places: readonly AskedPlace[], { parts, begin }: Timeline): string {
  const rides = parts.flatMap((part) => (part.kind === 'ride' ? [listRide(timetable, part.run)] : []));
  const ends = places.map(({ shown }) => shown.id);
  const content = [FORMAT, ends, rides, ...(rides.length === 0 ? [begin.scheduled] : [])];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

function listRide(timetable: Timetable, { tripKey, ride, calls }: Run): unknown[] {
  const { day, boardPosition, alightPosition } = ride;
  const stops = [calls[0]!, calls.at(-1)!].map(({ call }) =>
    call.stop >= 0 ? getStopId(timetable, call.stop) : call.stopName,
  );
  return [tripKey.toString(16), day, boardPosition, alightPosition, ...stops];
}
