import { OBSERVED, UNKNOWN } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import {
  callFlags,
  type RealtimeSnapshot,
  type RealtimeTables,
} from '../../../pipeline/realtime/snapshot/realtime-contract.ts';

export type CallEvent = 'arrival' | 'departure';

/** Live state of one call; `findLiveTime` decides whether one of its times may be shown. */
export interface LiveCall {
  /** Estimated or observed; 0 when unknown. */
  readonly arrival: number;
  readonly departure: number;
  /** Positions in `evidences`. */
  readonly arrivalEvidence: number;
  readonly departureEvidence: number;
  /** Instant after which a forecast is too old to be shown. */
  readonly expiresAt: number;
  readonly isCancelled: boolean;
  /** Row of `texts` of the snapshot, or -1. */
  readonly platform: number;
}

/** @param row of `calls` of the snapshot */
export function readLiveCall({ tables }: Pick<RealtimeSnapshot, 'tables'>, row: number): LiveCall {
  return readCall(tables.calls, row);
}

/**
 * One event of a call; the other is left unknown. A board reads one event of dozens of calls that are spread over the
 * columns, and each further column costs memory access.
 * @param row of `calls` of the snapshot
 */
export function readLiveEvent({ tables }: Pick<RealtimeSnapshot, 'tables'>, row: number, event: CallEvent): LiveCall {
  const { calls } = tables;
  const isDeparture = event === 'departure';
  return {
    arrival: isDeparture ? 0 : calls.arrival[row]!,
    departure: isDeparture ? calls.departure[row]! : 0,
    arrivalEvidence: isDeparture ? UNKNOWN : calls.arrivalEvidence[row]!,
    departureEvidence: isDeparture ? calls.departureEvidence[row]! : UNKNOWN,
    expiresAt: calls.expiresAt[row]!,
    isCancelled: (calls.flags[row]! & callFlags.cancelled) !== 0,
    platform: calls.platform[row]!,
  };
}

/** @param row of `addedCalls` of the snapshot; one reported event counts for both, because no dwell time is planned */
export function readAddedCall({ tables }: Pick<RealtimeSnapshot, 'tables'>, row: number): LiveCall {
  const { addedCalls } = tables;
  const call = readCall(addedCalls, row);
  const { arrival, arrivalEvidence, departure, departureEvidence } = call;
  if (departure === 0 && addedCalls.scheduledDeparture[row] === 0) {
    return { ...call, departure: arrival, departureEvidence: arrivalEvidence };
  }
  if (arrival === 0 && addedCalls.scheduledArrival[row] === 0) {
    return { ...call, arrival: departure, arrivalEvidence: departureEvidence };
  }
  return call;
}

type CallColumns = Pick<
  RealtimeTables['calls'],
  'arrival' | 'departure' | 'arrivalEvidence' | 'departureEvidence' | 'flags' | 'platform' | 'expiresAt'
>;

function readCall(calls: CallColumns, row: number): LiveCall {
  return {
    arrival: calls.arrival[row]!,
    departure: calls.departure[row]!,
    arrivalEvidence: calls.arrivalEvidence[row]!,
    departureEvidence: calls.departureEvidence[row]!,
    expiresAt: calls.expiresAt[row]!,
    isCancelled: (calls.flags[row]! & callFlags.cancelled) !== 0,
    platform: calls.platform[row]!,
  };
}

/** The time to be shown at an instant: observed, or estimated and not expired; null for a cancelled call. */
export function findLiveTime(live: LiveCall | null, event: CallEvent, moment: Instant): Instant | null {
  if (live === null || live.isCancelled) return null;
  const time = event === 'departure' ? live.departure : live.arrival;
  const evidence = event === 'departure' ? live.departureEvidence : live.arrivalEvidence;
  return time > 0 && (moment <= live.expiresAt || evidence === OBSERVED) ? (time as Instant) : null;
}
