import { type CallObservation, prognoses } from '../../../pipeline/model/observation.ts';
import {
  type CallReport,
  emptyUpdate,
  type ReportedTime,
  type SourceUpdate,
  type TripName,
  type TripReport,
} from '../../../pipeline/model/realtime.ts';
import { fromEpochDay, type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import type { AppliedUpdate } from '../../../pipeline/realtime/state/apply-update.ts';
import { callFlags, type RealtimeTables, tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import { stopName, tripName } from './matching/matching-world.ts';

/**
 * Line 1 from Anger to Dorf, with a platform to choose at the station Berg; `bus` at eight, `late` at nine, `night`
 * over midnight. Line 9 is a loop, line F runs every twenty minutes by `frequencies.txt`.
 */
export const lineFeed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehrsbetriebe,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  a,Anger,48.00,16.00,,,
  berg,Berg,48.00,16.01,1,,
  b1,Berg,48.00,16.01,,berg,1
  b2,Berg,48.00,16.01,,berg,2
  c,Kirche,48.00,16.02,,,
  d,Dorf,48.00,16.03,,,
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,1,3
  l,v,9,3
  f,v,F,3
  # trips.txt
  trip_id,route_id,service_id,direction_id,trip_headsign
  bus,r,daily,0,Dorf
  late,r,daily,0,Dorf
  night,r,daily,0,Dorf
  loop,l,daily,0,Berg
  often,f,daily,0,Berg
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  bus,a,1,08:00:00,08:00:00
  bus,b1,2,08:10:00,08:11:00
  bus,c,3,08:20:00,08:22:00
  bus,d,4,08:30:00,08:30:00
  late,a,1,09:00:00,09:00:00
  late,b1,2,09:10:00,09:11:00
  late,c,3,09:20:00,09:22:00
  late,d,4,09:30:00,09:30:00
  night,a,1,23:50:00,23:50:00
  night,b1,2,24:05:00,24:06:00
  night,d,3,24:20:00,24:20:00
  loop,a,1,10:00:00,10:00:00
  loop,b1,2,10:05:00,10:05:00
  loop,a,3,10:10:00,10:10:00
  loop,b1,4,10:15:00,10:15:00
  often,a,1,00:00:00,00:00:00
  often,b1,2,00:05:00,00:05:00
  # frequencies.txt
  trip_id,start_time,end_time,headway_secs,exact_times
  often,12:00:00,13:00:00,1200,1
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260301,20261031
`;

/** The service date of all cases: a Monday in winter. */
export const DATE = '2026-03-02' as ServiceDate;
export const DAY = toEpochDay(DATE);

/** `08:05` or `08:05:30` of the service date in Vienna; past midnight as 24:05. */
export function clock(text: string): Instant {
  const [hours, minutes, seconds] = text.split(':').map(Number);
  return (instant(`${DATE}T00:00:00+01:00`) + hours! * 3600 + minutes! * 60 + (seconds ?? 0)) as Instant;
}

export const iso = (at: number) => new Date(at * 1000).toISOString();

// ---- Reports -----------------------------------------------------------------------------------

/** A delay in seconds, or a time of day; a `!` after it means that the publisher reports it as measured. */
export type ReportedValue = number | string;

export interface ReportedCall {
  /** Stop id; without it, the call is identified by number. */
  readonly stop?: string;
  readonly sequence?: number;
  /** At the stop, arrival first: `[60, 90]`, or `null` for an event without report. */
  readonly times?: readonly [arrival: ReportedValue | null, departure: ReportedValue | null];
  /** As its publisher schedules it. */
  readonly plan?: readonly [arrival: string | null, departure: string | null];
  readonly state?: CallReport['state'];
  readonly platform?: string;
  readonly assignedStop?: string;
  readonly cancelledEvent?: 'arrival' | 'departure';
}

function reportedCall({
  stop,
  sequence,
  times,
  plan,
  state,
  platform,
  assignedStop,
  cancelledEvent,
}: ReportedCall): CallReport {
  return {
    stopSequence: sequence ?? null,
    stop: stop === undefined ? null : stopName(stop),
    arrival: reportedTime(times?.[0] ?? null, plan?.[0] ?? null),
    departure: reportedTime(times?.[1] ?? null, plan?.[1] ?? null),
    state: state ?? 'normal',
    scheduledPlatform: null,
    platform: platform ?? null,
    assignedStopId: assignedStop ?? null,
    cancelledEvent: cancelledEvent ?? null,
  };
}

function reportedTime(reported: ReportedValue | null, plan: string | null): ReportedTime | null {
  if (reported === null && plan === null) return null;
  const scheduledTime = plan === null ? null : clock(plan);
  if (typeof reported === 'number') return { scheduledTime, time: null, delaySeconds: reported, isMeasured: false };
  const isMeasured = reported?.endsWith('!') ?? false;
  const time = reported === null ? null : clock(isMeasured ? reported.slice(0, -1) : reported);
  return { scheduledTime, time, delaySeconds: null, isMeasured };
}

/** A report on a trip of the service date. */
export function reported(
  trip: string | Partial<TripName>,
  calls: readonly ReportedCall[] = [],
  over: Partial<TripReport> = {},
): TripReport {
  const name = typeof trip === 'string' ? { tripId: trip, startDate: DATE } : trip;
  return {
    place: `entity ${name.tripId ?? '1'}`,
    trip: tripName(name),
    relationship: 'scheduled',
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls: calls.map(reportedCall),
    vehicleId: null,
    originName: null,
    isSpecial: false,
    ...over,
  };
}

// ---- Published state --------------------------------------------------------------------------

export interface LiveLine extends Omit<LiveWorld, 'at' | 'report'> {
  readonly world: World;
  readonly timetable: TimetableTables;
  /** A complete response whose delays propagate, as in GTFS-Realtime, unless stated otherwise. */
  report(time: string, reported: readonly TripReport[] | Partial<SourceUpdate>, by?: Speaker): AppliedUpdate;
  build(time: string): RealtimeTables;
  /** The current calls of a trip of the timetable, see `describeCalls`. */
  show(trip: string, time: string, day?: ServiceDate): string;
  showAt: LiveWorld['at'];
}

export interface Speaker {
  readonly source?: string;
  readonly part?: string;
}

export async function openLiveLine(sources: readonly string[] = ['rt'], feed = lineFeed): Promise<LiveLine> {
  const world = await openWorld(feed);
  const live = await openLiveWorld(world, sources);
  const { tables } = world.timetable;
  return {
    ...live,
    world,
    timetable: tables,
    report(time, reported, { source = sources[0]!, part = 'all' } = {}) {
      const update = Array.isArray(reported) ? { trips: reported } : (reported as Partial<SourceUpdate>);
      return live.report(source, iso(clock(time)), { ...emptyUpdate, isPropagating: true, ...update }, part);
    },
    build: (time) => live.state.build(clock(time)),
    show: (trip, time, day = DATE) => describeTrip(live.state.build(clock(time)), tables, trip, day),
    showAt: live.at,
  };
}

// ---- Tables as text ---------------------------------------------------------------------------

/** Row of the timetable's trips. */
export function tripRow({ trips }: TimetableTables, tripId: string): number {
  for (let row = 0; row < trips.service.length; row++) if (trips.tripId.get(row) === tripId) return row;
  throw new Error(`no trip ${tripId}`);
}

/** Row of the snapshot's trips, or -1. */
export function liveRow({ trips }: RealtimeTables, trip: number, day: number): number {
  return trips.trip.findIndex((row, i) => row === trip && trips.day[i] === day);
}

/**
 * Arrival and departure of each call: `08:03` forecast, `08:03!` observed, `-` unknown, `x`
 * cancelled; `x` alone where both are, `?` without data. After it the platform and, with `~`, that sources disagree.
 */
export function describeTrip(tables: RealtimeTables, timetable: TimetableTables, trip: string, day = DATE): string {
  const row = liveRow(tables, tripRow(timetable, trip), toEpochDay(day));
  if (row < 0) return 'silence';
  const { patterns, trips } = timetable;
  const first = tables.trips.firstCall[row]!;
  const count = patterns.callCount[trips.pattern[tables.trips.trip[row]!]!]!;
  const flags = listFlags(tables.trips.flags[row]!);
  return [...flags, ...describeCalls(tables, tables.calls, first, count)].join(' ');
}

const marks: Readonly<Record<string, string>> = { observed_actual: '!' };

type Calls = RealtimeTables['calls'] | RealtimeTables['addedCalls'];

function describeCalls({ texts }: RealtimeTables, calls: Calls, first: number, count: number): string[] {
  return Array.from({ length: count }, (_, position) => {
    const row = first + position;
    const flags = calls.flags[row]!;
    const event = (time: number, prognosis: number, cancelled: number) => {
      if ((flags & cancelled) !== 0) return 'x';
      return time === 0 ? '-' : `${clockText(time)}${marks[prognoses[prognosis]!] ?? ''}`;
    };
    const times = [
      event(calls.arrival[row]!, calls.arrivalPrognosis[row]!, callFlags.arrivalCancelled),
      event(calls.departure[row]!, calls.departurePrognosis[row]!, callFlags.departureCancelled),
    ].join('/');
    const known = times === 'x/x' ? 'x' : (flags & callFlags.noData) !== 0 ? '?' : times;
    const platform = calls.platform[row]! < 0 ? '' : `@${texts.text.get(calls.platform[row]!)}`;
    return `${known}${platform}${(flags & callFlags.sourceConflict) !== 0 ? '~' : ''}`;
  });
}

function listFlags(bits: number): string[] {
  return Object.entries(tripFlags).flatMap(([name, bit]) => ((bits & bit) === 0 ? [] : [name]));
}

/** `08:05`, seconds where they are not zero; the next day's as 24:05, the day before's as -01:00. */
export function clockText(at: number): string {
  const seconds = at - clock('00:00');
  if (seconds < 0) return `-${clockText(clock('00:00') - seconds)}`;
  const two = (n: number) => String(n).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`;
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor((seconds % 3600) / 60))}${rest}`;
}

/** Added trips: id or label, flags, then stop and times of each call. */
export function describeAdded(tables: RealtimeTables): string[] {
  const { addedTrips, addedCalls, texts } = tables;
  const text = (row: number) => (row < 0 ? '' : texts.text.get(row));
  return Array.from(addedTrips.key, (_, row) => {
    const first = addedTrips.firstCall[row]!;
    const count = addedTrips.callCount[row]!;
    const calls = describeCalls(tables, addedCalls, first, count);
    const stops = Array.from({ length: count }, (_call, i) => text(addedCalls.stopName[first + i]!));
    const flags = listFlags(addedTrips.flags[row]!);
    const name = [text(addedTrips.label[row]!), fromEpochDay(addedTrips.day[row]!).slice(5), ...flags].join(' ');
    return `${name}: ${stops.map((stop, i) => `${stop} ${calls[i]}`).join(', ')}`;
  });
}

/** `bus 2.departure 08:25 forecast`; `x` if cancelled, `from a position` if derived from a vehicle position. */
export function describeObservation({ tripId, position, event, ...seen }: CallObservation): string {
  const time = seen.time === null ? '' : ` ${clockText(seen.time)}`;
  const word = seen.isCancelled ? 'x' : seen.evidence === 'observed_actual' ? 'observed' : seen.evidence;
  const platform = seen.platform === null ? '' : ` @${seen.platform}`;
  const channel = seen.channel === 'positions' ? ' from a position' : '';
  return `${tripId} ${position}.${event}${time} ${word}${platform}${channel}`;
}
