import type { CallObservation, ObservationBatch } from '../../../../pipeline/model/observation.ts';
import { type EpochDay, type Instant, toEpochDay } from '../../../../pipeline/model/service-time.ts';

export const killDate = '2026-01-15' as Parameters<typeof toEpochDay>[0];

/** Time of the first response. */
export const killStart = 1_768_478_400;

/** The n-th response: depends only on n, so that the expected table is known. */
export function batchAt(index: number): ObservationBatch {
  const seenAt = (killStart + index) as Instant;
  const observations = Array.from({ length: 60 }, (_, i) => observationAt(index, i));
  const day = toEpochDay(killDate);
  const ended = index % 4 === 3 ? [{ tripKey: BigInt(index % 7), day }] : [];
  return { part: `part-${index % 3}`, rawId: `raw-${index}`, seenAt, observations, ended, resolved: [] };
}

function observationAt(index: number, i: number): CallObservation {
  const trip = (index + i) % 7;
  return {
    tripKey: BigInt(trip),
    day: toEpochDay(killDate) as EpochDay,
    tripId: `t${trip}`,
    routeId: null,
    lineLabel: 'U1',
    position: i % 10,
    stopId: `s${i % 10}`,
    event: i % 2 === 0 ? 'arrival' : 'departure',
    channel: 'stop_events',
    scheduledTime: killStart as Instant,
    // Sometimes the same as before.
    time: (killStart + (Math.floor(index / 2) % 5) * 60) as Instant,
    evidence: 'forecast',
    isCancelled: false,
    platform: null,
    uncertaintySeconds: null,
    occupancy: null,
    recordedAt: null,
  };
}
