import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { Coord, StopInfo, StopList } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { ArrivalsQuery, DeparturesQuery, NearbyQuery, StopsQuery } from '../../contract/v2-queries.ts';
import { type BoardQuery, encodeBoard, type FollowingPage } from '../../engine/boards/boards.ts';
import { findStopsByName } from '../../engine/places/find-stops.ts';
import type { PlacesIndex } from '../../engine/places/place-index.ts';
import { resolvePlace } from '../../engine/places/resolve-places.ts';
import { findStopCoord } from '../../engine/read/present.ts';
import { findStop } from '../../engine/read/stop-ids.ts';
import type { Timetable } from '../../engine/read/timetable.ts';
import { findStopsNearby, getStopInfo } from '../../engine/search/stops.ts';
import type { QueryValues } from '../../plugins/route-handler.ts';
import { type Handlers, type Service, type ServiceHandler, timetableRoute } from '../service.ts';

export function boardHandlers({ references }: Service): Handlers {
  return {
    'GET /v2/stops/{id}/departures': {
      snapshot: 'required',
      // `generatedAt` is the current time, even if `time` requests another hour.
      changesWithTime: () => true,
      answer: ({ snapshot, query, params, instant }) => {
        const board = toBoardQuery(query, (query as DeparturesQuery).directionStopId);
        const context = { published: snapshot!.value, references, instant };
        return { bytes: encodeBoard(context, params.id!, board, 'departures') };
      },
    },
    'GET /v2/stops/{id}/arrivals': {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: ({ snapshot, query, params, instant }) => {
        const board = toBoardQuery(query, (query as ArrivalsQuery).originStopId);
        const context = { published: snapshot!.value, references, instant };
        return { bytes: encodeBoard(context, params.id!, board, 'arrivals') };
      },
    },
  };
}

/** Parameters of both kinds of boards that the engine names as the contract does, in the order of page tokens. */
const SAME_PARAMETERS = ['durationMinutes', 'limit', 'lines', 'pageToken', 'products'];

/** Without members that are absent. A loop, for the reason given at `serveRoute`. */
function toBoardQuery(query: QueryValues, otherStopId: string | undefined): BoardQuery | FollowingPage {
  const board: Record<string, unknown> = {};
  for (const name of SAME_PARAMETERS) {
    if (query[name] !== undefined) board[name] = query[name];
  }
  // Validated by the contract.
  if (query.time !== undefined) board.time = parseTimestamp(query.time as string)!;
  if (otherStopId !== undefined) board.otherStopId = otherStopId;
  return board as unknown as BoardQuery;
}

/**
 * The requested point.
 * @returns `null` for a stop without coordinates
 * @throws ApiProblem `unknown_stop`, `invalid_parameter` without a point
 */
function findPoint(
  timetable: Timetable,
  index: PlacesIndex | null,
  { lat, lon, stopId }: Pick<NearbyQuery, 'lat' | 'lon' | 'stopId'>,
): Coord | null {
  if (lat !== undefined && lon !== undefined) return { lat, lon };
  if (stopId === undefined) {
    throw new ApiProblem('invalid_parameter', 'The query needs "lat" and "lon", or "stopId".', 'lat');
  }
  const place = index ? resolvePlace(timetable, index, { stopId }) : { stopId };
  if ('coord' in place) return place.coord;
  const stop = findStop(timetable, place.stopId);
  if (stop === null) {
    throw new ApiProblem('unknown_stop', 'Neither the timetable nor the index of places has this id.', 'stopId');
  }
  return findStopCoord(timetable, stop).coord ?? null;
}

export function stopHandlers({ places }: Pick<Service, 'places'>): Handlers {
  const takePlaces: ServiceHandler['takeData'] = (_query, snapshot) => {
    const held = places.current();
    const versions = [snapshot?.timetableVersion ?? snapshot?.dataVersion, held?.dataVersion];
    const dataVersion = versions.filter((version) => version !== undefined).join('.');
    return { value: held?.value ?? null, dataVersion, tagPart: null };
  };
  return {
    'GET /v2/stops': {
      snapshot: 'required',
      changesWithTime: () => false,
      takeData: takePlaces,
      answer: ({ snapshot, query, data }) => {
        const { lat, lon, ...search } = query as StopsQuery;
        const bias = lat !== undefined && lon !== undefined ? { bias: { lat, lon } } : {};
        const found = { ...search, ...bias, places: data as PlacesIndex | null };
        return { json: { stops: findStopsByName(snapshot!.value.timetable, found) } satisfies StopList };
      },
    },
    'GET /v2/stops/nearby': {
      snapshot: 'required',
      changesWithTime: () => false,
      takeData: takePlaces,
      answer: ({ snapshot, query, data }) => {
        const { timetable } = snapshot!.value;
        const { radiusMeters, limit, ...point } = query as NearbyQuery;
        const coord = findPoint(timetable, data as PlacesIndex | null, point);
        const stops = coord === null ? [] : findStopsNearby(timetable, { ...coord, radiusMeters, limit });
        return { json: { stops } satisfies StopList };
      },
    },
    'GET /v2/stops/{id}/info': timetableRoute((timetable, _query, { id }): StopInfo => getStopInfo(timetable, id!)),
  };
}
