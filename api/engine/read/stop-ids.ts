import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import { createRecentMaps } from '../../../pipeline/model/recent-map.ts';
import { getPublicStop } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Timetable } from './timetable.ts';

/** Public ids are `<source>:<stop_id>`, so that they are as stable as the publisher's. */
export function getStopId({ tables, sourceIds }: Timetable, stop: number): string {
  return `${sourceIds[tables.stops.source[stop]!]}:${tables.stops.stopId.get(stop)}`;
}

const REMEMBERED_STOPS = 4000;

const findKnownStops = createRecentMaps<Timetable, string, number>(REMEMBERED_STOPS);

/** @returns the stop's row, for a merged station that of all of it; null when the timetable has none of this id */
export function findStop(timetable: Timetable, id: string): number | null {
  const known = findKnownStops(timetable);
  const remembered = known.get(id);
  if (remembered !== undefined) return remembered;
  const stop = searchStop(timetable, id);
  // Unknown ids are not remembered, because neither their number nor their length is limited.
  if (stop !== null) known.set(id, stop);
  return stop;
}

function searchStop({ tables, sourceIds }: Timetable, id: string): number | null {
  const colon = id.indexOf(':');
  const source = colon < 0 ? -1 : sourceIds.indexOf(id.slice(0, colon));
  if (source < 0) return null;
  const stopId = id.slice(colon + 1);
  const order = tables.stopsById.stop;
  const at = partitionPoint(0, order.length, (position) => {
    const stop = order[position]!;
    return tables.stops.source[stop]! === source
      ? tables.stops.stopId.get(stop) < stopId
      : tables.stops.source[stop]! < source;
  });
  const stop = order[at];
  if (stop === undefined || tables.stops.source[stop] !== source || tables.stops.stopId.get(stop) !== stopId)
    return null;
  return getPublicStop(tables, stop);
}
