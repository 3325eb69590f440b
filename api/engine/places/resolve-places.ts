import { readPlaceId } from '../../../pipeline/model/place-id.ts';
import type { Coord, Place } from '../../contract/definitions.ts';
import { getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import { findLinkedStop } from './link-stations.ts';
import { namePoint } from './nearest-place.ts';
import { findPlaceRow, type PlacesIndex } from './place-index.ts';
import { getPlaceId, locatePlace, namePlace } from './present-place.ts';

/** A coordinate with its names. */
export interface NamedCoord {
  readonly coord: Coord;
  /** As requested. */
  readonly name?: string;
  /** From the index; shown if the request has no name. Page references do not depend on it, so it may change. */
  readonly foundName?: string;
  /** Absent: the coordinate is its own id. */
  readonly id?: string;
}

/**
 * Turns the id of a place into its coordinate and name, or into the stop that it is, and names a coordinate that has no
 * name. Every other place stays as it is, ids that nobody knows too: whoever reads the place refuses them.
 */
export function resolvePlace(
  timetable: Timetable | null,
  index: PlacesIndex,
  place: Place | NamedCoord,
): Place | NamedCoord {
  if ('stopId' in place) return resolveId(timetable, index, place.stopId) ?? place;
  if (place.name !== undefined) return place;
  const name = namePoint(index, place.coord.lat, place.coord.lon);
  return name === null ? place : { ...place, foundName: name };
}

function resolveId(timetable: Timetable | null, index: PlacesIndex, id: string): Place | NamedCoord | null {
  const ref = readPlaceId(id);
  const row = ref === null ? null : findPlaceRow(index, ref);
  if (row === null) return null;
  const stop = timetable && row.house < 0 ? findLinkedStop(timetable, index, row.place) : null;
  if (timetable && stop !== null) return { stopId: getStopId(timetable, stop) };
  return { coord: locatePlace(index, row), foundName: namePlace(index, row), id: getPlaceId(index, row) };
}
