import type { FastifyInstance } from 'fastify';
import type { Arrival, Departure, Journey, RescueResult, TripResult } from '../../../api/contract/definitions.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { CallReport, SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { openService } from '../service-app.ts';

// Cases rebuilt from public complaints, requested over HTTP on every surface.

export const CASE_DAY = '2026-03-03';

/** RFC 3339 of a clock time on the day of the cases. */
export const at = (clock: string) => `${CASE_DAY}T${clock}:00+01:00`;

/** A feed with stops A to E on a line, and trips given as `id line number: A 12:00, B 12:05`. */
export function lineFeed(trips: readonly string[], routeTypes: Readonly<Record<string, number>> = {}): string {
  const parsed = trips.map((text) => {
    const [name = '', calls = ''] = text.split(': ');
    const [id = '', line = '', number = ''] = name.split(' ');
    return { id, line, number, calls: calls.split(', ').map((call) => call.split(' ')) };
  });
  const lines = [...new Set(parsed.map(({ line }) => line))];
  return [
    '# agency.txt',
    'agency_id,agency_name,agency_url,agency_timezone',
    'x,Verkehr,https://example.org,Europe/Vienna',
    '# stops.txt',
    'stop_id,stop_name,stop_lat,stop_lon',
    ...['Ahorn', 'Birke', 'Cedrus', 'Dorn', 'Eiche'].map((name, i) => `${name[0]},${name},${48.2 + i * 0.02},16.3`),
    '# routes.txt',
    'route_id,agency_id,route_short_name,route_long_name,route_type',
    ...lines.map((line) => `${line},x,${line},,${routeTypes[line] ?? 3}`),
    '# trips.txt',
    'route_id,service_id,trip_id,trip_short_name',
    ...parsed.map(({ id, line, number }) => `${line},daily,${id},${number}`),
    '# stop_times.txt',
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
    ...parsed.flatMap(({ id, calls }) =>
      calls.map(([stop, clock], i) => `${id},${clock}:00,${clock}:00,${stop},${i + 1}`),
    ),
    '# calendar.txt',
    'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
    'daily,1,1,1,1,1,1,1,20260302,20260331',
  ].join('\n');
}

/** A report of a trip: delays of arrival and departure in seconds by stop, null if not reported. */
export function report(
  tripId: string,
  calls: Readonly<
    Record<string, readonly [arrival: number | null, departure: number | null] | 'skipped' | Partial<CallReport>>
  >,
  over: Partial<TripReport> = {},
): TripReport {
  const event = (delaySeconds: number | null) =>
    delaySeconds === null ? null : { scheduledTime: null, time: null, delaySeconds, isMeasured: false };
  return reportOf(tripOf(tripId, { startDate: CASE_DAY as never }), {
    place: `entity ${tripId}`,
    calls: Object.entries(calls).map(([stop, delays]) => {
      if (delays === 'skipped') return callOf(stopOf(stop), { state: 'skipped' });
      if (!Array.isArray(delays)) return callOf(stopOf(stop), delays as Partial<CallReport>);
      return callOf(stopOf(stop), { arrival: event(delays[0]), departure: event(delays[1]) });
    }),
    ...over,
  });
}

export interface Surfaces {
  departures(stop: string, query?: string): Promise<readonly Departure[]>;
  arrivals(stop: string): Promise<readonly Arrival[]>;
  journey(ref: string): Promise<Journey>;
  trips(from: string, to: string, time: string): Promise<TripResult['trips']>;
  rescue(legs: readonly { journeyRef: string; originId: string; destinationId: string }[]): Promise<RescueResult>;
}

interface Reported {
  readonly update: Partial<SourceUpdate>;
  readonly at: string;
}

/** Opens the service at a time, after reports of a source. @param isPropagating delays propagate as in GTFS-Realtime */
export async function openSurfaces(
  feed: string,
  reported: readonly Reported[],
  now: string,
  isPropagating = true,
): Promise<Surfaces> {
  const world = await openWorld(feed);
  const live = await openLiveWorld(world);
  for (const { update, at: time } of reported) live.report('rt', at(time), { isPropagating, ...update });
  const app = await openService(live.at(at(now)), { clock: fixedClock(at(now)) });
  const get = async (url: string) => readAnswer(await app.inject({ url }));
  const post = async (url: string, payload: object) => readAnswer(await app.inject({ method: 'POST', url, payload }));
  const board = (stop: string, kind: string, query = '') =>
    get(`/v2/stops/at:${stop}/${kind}?durationMinutes=180&limit=100${query}`);
  return {
    departures: async (stop, query) => (await board(stop, 'departures', query)).departures,
    arrivals: async (stop) => (await board(stop, 'arrivals')).arrivals,
    journey: (ref) => get(`/v2/journeys/${ref}`),
    trips: async (from, to, time) => {
      const body = { from: { stopId: `at:${from}` }, to: { stopId: `at:${to}` }, time: at(time), limit: 6 };
      return (await post('/v2/trips', body)).trips;
    },
    rescue: (legs) => post('/v2/rescue', { legs }),
  };
}

function readAnswer(answer: Awaited<ReturnType<FastifyInstance['inject']>>) {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return answer.json();
}

/** `12:00+11:57 1 Eiche`: scheduled and realtime, line and direction; `x` if cancelled. */
export function showDeparture({ departure, line, direction, cancelled }: Departure): string {
  const live = departure.isRealtime ? `+${departure.realtime!.slice(11, 16)}` : '';
  return `${departure.scheduled!.slice(11, 16)}${live}${cancelled ? ' x' : ''} ${line.label} ${direction}`;
}
