import { CARRIED } from '../../../pipeline/model/observation.ts';
import type { CallReport, TripReport } from '../../../pipeline/model/realtime.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { CALL_CANCELLED, callFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, tripOf } from '../../support/worlds/live-reports.ts';
import type { LiveWorld } from '../../support/worlds/live-world.ts';

export const DAY = '2026-03-03' as ServiceDate;

/** A time of that day, on clocks in Vienna. */
export const at = (clock: string) => `${DAY}T${clock.length === 5 ? `${clock}:00` : clock}+01:00`;

export interface ReportedCall {
  readonly arrival?: string;
  readonly departure?: string;
  readonly isMeasured?: boolean;
  readonly state?: CallReport['state'];
  readonly platform?: string;
}

/** A report of t1 (or another trip) as text: times of calls by stop. */
export function report(
  calls: Readonly<Record<string, ReportedCall>>,
  over: Partial<TripReport> = {},
  tripId = 't1',
): TripReport {
  const event = (clock: string | undefined, isMeasured: boolean) =>
    clock === undefined ? null : { scheduledTime: null, time: instant(at(clock)), delaySeconds: null, isMeasured };
  return reportOf(tripOf(tripId, { startDate: DAY }), {
    place: `entity ${tripId}`,
    calls: Object.entries(calls).map(([stop, { arrival, departure, isMeasured = false, state = 'normal', platform }]) =>
      callOf(stopOf(stop), {
        arrival: event(arrival, isMeasured),
        departure: event(departure, isMeasured),
        state,
        platform: platform ?? null,
      }),
    ),
    ...over,
  });
}

export const clockAt = (at: number) =>
  at === 0 ? '-' : new Date(at * 1000).toLocaleTimeString('de-AT', { timeZone: 'Europe/Vienna' });

const marks = ['?', '~', '!'];

/**
 * The calls of t1 as sources report them: `arrival/departure` with `~` for a forecast, `!` for an observation; `x`
 * cancelled, `*` in conflict. Propagated delays are omitted.
 */
export function show(live: LiveWorld, time: string, trip = 0): string {
  const { calls, trips } = live.state.build(instant(at(time)));
  if (trips.trip.length <= trip) return 'nothing';
  const first = trips.firstCall[trip]!;
  return [0, 1, 2]
    .map((k) => {
      const row = first + k;
      const flags = calls.flags[row]!;
      const dispute = (flags & callFlags.sourceConflict) !== 0 ? '*' : '';
      if ((flags & CALL_CANCELLED) === CALL_CANCELLED) return `x${dispute}`;
      const event = (time: number, prognosis: number, cancelled: number) => {
        if ((flags & cancelled) !== 0) return 'x';
        return time === 0 || prognosis === CARRIED ? '-' : `${clockAt(time)}${marks[prognosis]}`;
      };
      const arrival = event(calls.arrival[row]!, calls.arrivalPrognosis[row]!, callFlags.arrivalCancelled);
      const departure = event(calls.departure[row]!, calls.departurePrognosis[row]!, callFlags.departureCancelled);
      return `${arrival}/${departure}${dispute}`;
    })
    .join(' ');
}

export const emit = (
  live: LiveWorld,
  clock: string,
  trips: readonly TripReport[],
  over = {},
  part = 'all',
  source = 'rt',
) => live.report(source, at(clock), { trips, recordCount: trips.length, ...over }, part);
