import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import { getPublicStop } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Timetable } from './timetable.ts';

/** Public ids are `<source>:<stop_id>`, so that they are as stable as the publisher's. */
export function getStopId({ tables, sourceIds }: Timetable, stop: number): string {
  return `${sourceIds[tables.stops.source[stop]!]}:${tables.stops.stopId.get(stop)}`;
}

/** @returns the stop's row, for a merged station that of all of it; null when the timetable has none of this id */
export function findStop({ tables, sourceIds }: Timetable, id: string): number | null {
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
