import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { StopInfo, StopList } from '../../contract/definitions.ts';
import type { ArrivalsQuery, DeparturesQuery, NearbyQuery, StopsQuery } from '../../contract/v2-queries.ts';
import { type BoardQuery, type FollowingPage, getArrivals, getDepartures } from '../../engine/boards/boards.ts';
import { writeBoard } from '../../engine/boards/write-board.ts';
import { findStopsByName } from '../../engine/places/find-stops.ts';
import type { PlacesIndex } from '../../engine/places/place-index.ts';
import { findStopsNearby, getStopInfo } from '../../engine/search/stops.ts';
import { type Handlers, type Service, timetableRoute } from '../service.ts';

export function boardHandlers({ references }: Service): Handlers {
  return {
    'GET /v2/stops/{id}/departures': {
      snapshot: 'required',
      // `generatedAt` is the current time, even if `time` requests another hour.
      changesWithTime: () => true,
      answer: ({ snapshot, query, params, instant }) => {
        const { time, directionStopId, ...rest } = query as DeparturesQuery;
        const board: BoardQuery | FollowingPage = { ...rest, ...readTime(time), ...nameOther(directionStopId) };
        const context = { published: snapshot!.value, references, instant };
        return { bytes: writeBoard(getDepartures(context, params.id!, board)) };
      },
    },
    'GET /v2/stops/{id}/arrivals': {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: ({ snapshot, query, params, instant }) => {
        const { time, originStopId, ...rest } = query as ArrivalsQuery;
        const board = { ...rest, ...readTime(time), ...nameOther(originStopId) };
        const context = { published: snapshot!.value, references, instant };
        return { bytes: writeBoard(getArrivals(context, params.id!, board)) };
      },
    },
  };
}

function readTime(time: string | undefined): Pick<BoardQuery, 'time'> {
  // Validated by the contract.
  return time === undefined ? {} : { time: parseTimestamp(time)! };
}

function nameOther(id: string | undefined): Pick<BoardQuery, 'otherStopId'> {
  return id === undefined ? {} : { otherStopId: id };
}

export function stopHandlers({ places }: Pick<Service, 'places'>): Handlers {
  return {
    'GET /v2/stops': {
      snapshot: 'required',
      changesWithTime: () => false,
      takeData: (_query, snapshot) => {
        const held = places.current();
        const versions = [snapshot?.timetableVersion ?? snapshot?.dataVersion, held?.dataVersion];
        const dataVersion = versions.filter((version) => version !== undefined).join('.');
        return { value: held?.value ?? null, dataVersion, tagPart: null };
      },
      answer: ({ snapshot, query, data }) => {
        const { lat, lon, ...search } = query as StopsQuery;
        const bias = lat !== undefined && lon !== undefined ? { bias: { lat, lon } } : {};
        const found = { ...search, ...bias, places: data as PlacesIndex | null };
        return { json: { stops: findStopsByName(snapshot!.value.timetable, found) } satisfies StopList };
      },
    },
    'GET /v2/stops/nearby': timetableRoute<NearbyQuery>(
      (timetable, query): StopList => ({ stops: findStopsNearby(timetable, query) }),
    ),
    'GET /v2/stops/{id}/info': timetableRoute((timetable, _query, { id }): StopInfo => getStopInfo(timetable, id!)),
  };
}
