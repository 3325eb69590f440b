import type { Product } from '../../../pipeline/model/product.ts';
import type { CallReport, SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import { fromEpochDay } from '../../../pipeline/model/service-time.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../worlds/live-reports.ts';
import { type NaiveTrip, plannedTime } from './naive-timetable.ts';

/** Report of a source about a trip of the timetable. */
export interface NaiveTripReport {
  readonly trip: NaiveTrip;
  readonly day: number;
  readonly kind: 'scheduled' | 'cancelled' | 'deleted';
  /** By index in the trip; null without a report. */
  readonly calls: readonly (NaiveCallReport | null)[];
}

export interface NaiveCallReport {
  readonly isSkipped: boolean;
  readonly isMeasured: boolean;
  /** Delay in seconds; null if the event was not reported. */
  readonly arrivalDelay: number | null;
  readonly departureDelay: number | null;
  /** As reported; null without a report. */
  readonly platform: string | null;
}

/** A trip that is not in the timetable. */
export interface NaiveExtraReport {
  readonly name: string;
  readonly line: string;
  readonly product: Product;
  /** The trip that it replaces; null for an added trip. */
  readonly replaces: { readonly trip: NaiveTrip; readonly day: number } | null;
  readonly calls: readonly ExtraCall[];
}

export interface ExtraCall {
  /** null for a stop that is not in the timetable. */
  readonly stopId: string | null;
  readonly scheduled: number;
  /** null if only a schedule is reported. */
  readonly delay: number | null;
  readonly isSkipped: boolean;
}

export interface NaiveReports {
  readonly at: number;
  readonly trips: readonly NaiveTripReport[];
  readonly extras: readonly NaiveExtraReport[];
}

// ---- As a source reports it --------------------------------------------------------------------

export function toUpdate({ trips, extras }: NaiveReports): Partial<SourceUpdate> {
  return { trips: [...trips.map(toReport), ...extras.map(toExtraReport)] };
}

function toReport({ trip, day, kind, calls }: NaiveTripReport): TripReport {
  const name = tripOf(trip.id, { startDate: fromEpochDay(day) });
  if (kind !== 'scheduled') return reportOf(name, { relationship: kind });
  const event = (place: number, which: 'arrival' | 'departure', delay: number | null, isMeasured: boolean) =>
    delay === null ? null : timeOf(plannedTime(trip, day, place, which) + delay, null, isMeasured);
  const reports = calls.flatMap((call, place): CallReport | [] => {
    if (!call) return [];
    const row = trip.calls[place]!;
    return callOf(stopOf(row.stop_id!), {
      stopSequence: Number(row.stop_sequence),
      state: call.isSkipped ? 'skipped' : 'normal',
      arrival: event(place, 'arrival', call.arrivalDelay, call.isMeasured),
      departure: event(place, 'departure', call.departureDelay, call.isMeasured),
      platform: call.platform,
    });
  });
  return reportOf(name, { calls: reports });
}

function toExtraReport({ name, line, product, replaces, calls }: NaiveExtraReport): TripReport {
  const reports = calls.map(({ stopId, scheduled, delay, isSkipped }) => {
    const time = timeOf(delay === null ? null : scheduled + delay, scheduled);
    const stop = stopId === null ? stopOf(null, 'Nirgends') : stopOf(stopId);
    return callOf(stop, { arrival: time, departure: time, state: isSkipped ? 'skipped' : 'normal' });
  });
  const trip = replaces
    ? tripOf(replaces.trip.id, { startDate: fromEpochDay(replaces.day), headsign: name })
    : tripOf(name, { lineLabel: line, product, headsign: name });
  return reportOf(trip, { relationship: replaces ? 'replacement' : 'added', originName: name, calls: reports });
}
