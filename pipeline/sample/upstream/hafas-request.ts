import type { GeoBox } from '../../model/geo.ts';
import { isObject, listOf, type MgateObject, numberOf, objectOf, textOf } from '../../sources/hafas/mgate-answer.ts';

/** A request to the fake endpoint. */
export type SimulatedMgateRequest =
  | {
      readonly method: 'StationBoard';
      readonly type: 'DEP' | 'ARR';
      /** HAFAS number, GTFS stop id, station id or DIVA. */
      readonly stopId: string;
      /** `YYYYMMDD` and `HHMMSS` in local time; null: now. */
      readonly date: string | null;
      readonly time: string | null;
      readonly durationMinutes: number;
      /** Whether the following, or previous, calls are requested too. */
      readonly hasPasslist: boolean;
    }
  | { readonly method: 'JourneyDetails'; readonly jid: string }
  | { readonly method: 'JourneyGeoPos'; readonly box: GeoBox; readonly maxVehicles: number }
  | { readonly method: 'HimSearch'; readonly maxMessages: number }
  | { readonly method: 'ServerInfo' };

const PER_DEGREE = 1_000_000;
const DEFAULT_DURATION_MINUTES = 60;
const MAX_BOARD_ROWS = 1000;

/**
 * Reads the body of a request to `mgate.exe`; only the first of several calls is used.
 * @returns null for an unsupported method or an invalid request
 */
export function readMgateRequest(body: string): SimulatedMgateRequest | null {
  const call = objectOf(listOf(objectOf(readJson(body)).svcReqL)[0]);
  const req = objectOf(call.req);
  switch (call.meth) {
    case 'StationBoard':
      return readBoardRequest(req);
    case 'JourneyDetails': {
      const jid = textOf(req.jid);
      return jid === null ? null : { method: 'JourneyDetails', jid };
    }
    case 'JourneyGeoPos': {
      const box = readBox(req.rect);
      return box && { method: 'JourneyGeoPos', box, maxVehicles: numberOf(req.maxJny) ?? MAX_BOARD_ROWS };
    }
    case 'HimSearch':
      return { method: 'HimSearch', maxMessages: numberOf(req.maxNum) ?? MAX_BOARD_ROWS };
    case 'ServerInfo':
      return { method: 'ServerInfo' };
    default:
      return null;
  }
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    // Invalid JSON is an invalid request.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function readBoardRequest(req: MgateObject): SimulatedMgateRequest | null {
  const { lid, extId } = objectOf(req.stbLoc);
  const stopId = /(?:^|@)L=([^@]+)@/.exec(textOf(lid) ?? '')?.[1] ?? textOf(extId);
  if (stopId === null || (req.type !== 'DEP' && req.type !== 'ARR')) return null;
  return {
    method: 'StationBoard',
    type: req.type,
    stopId,
    date: textOf(req.date),
    time: textOf(req.time),
    durationMinutes: numberOf(req.dur) ?? DEFAULT_DURATION_MINUTES,
    hasPasslist: req.getPasslist === true,
  };
}

function readBox(rect: unknown): GeoBox | null {
  if (!isObject(rect)) return null;
  const [low, high] = [objectOf(rect.llCrd), objectOf(rect.urCrd)];
  const [west, south, east, north] = [low.x, low.y, high.x, high.y].map(numberOf);
  if (west == null || south == null || east == null || north == null) return null;
  return {
    west: west / PER_DEGREE,
    south: south / PER_DEGREE,
    east: east / PER_DEGREE,
    north: north / PER_DEGREE,
  };
}
