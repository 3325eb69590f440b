import { findStop } from '../../api/engine/read/stop-ids.ts';
import { getMembers, type Timetable } from '../../api/engine/read/timetable.ts';
import { fromEpochDay, type Instant, localDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { openPlannedCalls, type PlannedCalls } from '../../pipeline/realtime/state/planned-calls.ts';
import { runsOn } from '../../pipeline/snapshots/timetable-lookups.ts';
import type { FeedEntity, StopTimeEvent } from '../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { makeRandom } from './made-up-stops.ts';
import { listRequestedStops, REQUESTED_STOPS } from './national-questions.ts';

/** A running trip and its delay. */
interface RunningTrip {
  readonly trip: number;
  readonly day: number;
  /** Delay at the last call; it grows linearly along the trip. */
  readonly delaySeconds: number;
}

/** The running trips of a country, and the realtime messages about them. */
export interface Traffic {
  readonly tripCount: number;
  readonly callCount: number;
  /** A complete TripUpdates message with time and delay of each call; past ones are observed. */
  writeTripUpdates(now: Instant, change: TrafficChange): Uint8Array;
  /** One message with positions of every fourth trip and alerts for the line of every 60th. */
  writeNews(now: Instant): Uint8Array;
}

export interface TrafficPlan {
  /** null: all running trips, and those about to call at a requested station. */
  readonly tripCount: number | null;
  /** Of this many trips, one is cancelled, one skips a stop, and one has an added copy. */
  readonly oddEvery: number;
}

/** Difference from the first message: `none`, or one more minute of delay for every tenth trip. */
export type TrafficChange = 'none' | 'tenth';

const SEED = 2026;
const ZONE = 'Europe/Vienna';
/** Time span of the board of a busy station. */
const BOARD_SECONDS = 1800;

/**
 * Generates the traffic at an instant. Trips that will call at requested stations come first, also those about to start, so
 * that these boards have as much realtime as possible.
 * @throws Error if there are fewer trips than requested
 */
export function makeTraffic(timetable: Timetable, now: Instant, { tripCount, oddEvery }: TrafficPlan): Traffic {
  const planned = openPlannedCalls(timetable.tables);
  const trips = listRunningTrips(timetable, planned, now, tripCount);
  return {
    tripCount: trips.length,
    callCount: trips.reduce((sum, { trip }) => sum + planned.callCount(trip), 0),
    writeTripUpdates: (at, change) =>
      writeMessage(
        at,
        trips.map((trip, i) => buildTripUpdate(planned, trip, { index: i, oddEvery }, at, change)),
      ),
    writeNews: (at) =>
      writeMessage(
        at,
        trips.flatMap((trip, i) => [
          ...(i % 4 === 0 ? [buildVehicle(timetable, planned, trip, at)] : []),
          ...(i % 60 === 0 ? [buildAlert(planned, trip, i)] : []),
        ]),
      ),
  };
}

function listRunningTrips(
  timetable: Timetable,
  planned: PlannedCalls,
  now: Instant,
  tripCount: number | null,
): RunningTrip[] {
  const { tables } = timetable;
  const day = toEpochDay(localDate(now, ZONE));
  const requestedCalls = findRequestedCalls(timetable);
  const due: number[] = [];
  const others: number[] = [];
  for (let trip = 0; trip < tables.trips.service.length; trip++) {
    if (!runsOn(tables, tables.trips.service[trip]!, day)) continue;
    const last = planned.callCount(trip) - 1;
    const isDueAt = (position: number) => {
      const time = planned.departure(trip, day, position);
      return now <= time && time < now + BOARD_SECONDS;
    };
    if (requestedCalls.get(tables.trips.pattern[trip]!)?.some(isDueAt)) due.push(trip);
    else if (planned.departure(trip, day, 0) <= now && now < planned.arrival(trip, day, last)) others.push(trip);
  }
  const chosen = pickEvenly(due, tripCount ?? due.length);
  chosen.push(...pickEvenly(others, (tripCount ?? due.length + others.length) - chosen.length));
  if (tripCount !== null && chosen.length < tripCount)
    throw new Error(`only ${chosen.length} trips are running, not ${tripCount}`);
  const random = makeRandom(SEED);
  return chosen.map((trip) => ({ trip, day, delaySeconds: makeDelay(random) }));
}

/** Positions by pattern at which it calls at requested stations. */
function findRequestedCalls(timetable: Timetable): Map<number, number[]> {
  const { stops, stopCalls } = timetable.tables;
  const stations = listRequestedStops(timetable, REQUESTED_STOPS).map(({ id }) => findStop(timetable, id)!);
  const calls = new Map<number, number[]>();
  for (const stop of stations.flatMap((station) => [...getMembers(timetable.tables, station)])) {
    const first = stops.firstStopCall[stop]!;
    for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
      const pattern = stopCalls.pattern[i]!;
      calls.set(pattern, [...(calls.get(pattern) ?? []), stopCalls.position[i]!]);
    }
  }
  return calls;
}

function pickEvenly<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(items.length, count) }, (_, i) => items[Math.floor(i * step)]!);
}

/** Four in ten trips are on time, most others some minutes late, one in twenty very late. */
function makeDelay(random: () => number): number {
  const luck = random();
  if (luck < 0.4) return Math.floor(random() * 45);
  if (luck < 0.95) return Math.floor(60 + random() * 420);
  return Math.floor(600 + random() * 2400);
}

// ---- Messages ----------------------------------------------------------------------------------

function writeMessage(now: Instant, entity: readonly FeedEntity[]): Uint8Array {
  return encodeFeedMessage({ header: { gtfsRealtimeVersion: '2.0', timestamp: now }, entity });
}

/** Out of this many trips, one is cancelled, another skips a stop, and a third has an added copy. */
function buildTripUpdate(
  planned: PlannedCalls,
  running: RunningTrip,
  { index, oddEvery }: { readonly index: number; readonly oddEvery: number },
  now: Instant,
  change: TrafficChange,
): FeedEntity {
  const trip = describeTrip(planned, running);
  if (index % oddEvery === oddEvery - 1) {
    const cancelled = { ...trip, scheduleRelationship: 'CANCELED' } as const;
    return { id: trip.tripId, tripUpdate: { trip: cancelled, timestamp: now, stopTimeUpdate: [] } };
  }
  const added = { ...trip, tripId: `${trip.tripId} again`, scheduleRelationship: 'ADDED' } as const;
  const isAdded = index % oddEvery === oddEvery * 0.75 - 1;
  const count = planned.callCount(running.trip);
  const atEnd = running.delaySeconds + (change === 'tenth' && index % 10 === 0 ? 60 : 0);
  const skipped = index % oddEvery === oddEvery / 2 - 1 ? count >> 1 : -1;
  const stopTimeUpdate = Array.from({ length: count }, (_, position) => {
    const delay = Math.round(atEnd * (0.3 + (0.7 * position) / (count - 1)));
    const place = { stopSequence: position + 1, stopId: stopIdAt(planned, running.trip, position) };
    if (position === skipped) return { ...place, scheduleRelationship: 'SKIPPED' } as const;
    return {
      ...place,
      arrival: buildEvent(planned.arrival(running.trip, running.day, position), delay, now),
      departure: buildEvent(planned.departure(running.trip, running.day, position), delay, now),
    };
  });
  const timestamp = now - (index % 30);
  return { id: trip.tripId, tripUpdate: { trip: isAdded ? added : trip, timestamp, stopTimeUpdate } };
}

function buildEvent(plan: number, delay: number, now: Instant): StopTimeEvent {
  const time = plan + delay;
  return { time, delay, uncertainty: time <= now ? 0 : 60 };
}

function describeTrip({ tables }: PlannedCalls, { trip, day }: RunningTrip) {
  const { trips, routes, patterns } = tables;
  return {
    tripId: trips.tripId.get(trip),
    routeId: routes.routeId.get(patterns.route[trips.pattern[trip]!]!),
    startDate: fromEpochDay(day).replaceAll('-', ''),
  };
}

function stopIdAt(planned: PlannedCalls, trip: number, position: number): string {
  return planned.tables.stops.stopId.get(planned.stop(trip, position));
}

/** At the first call that it has not left by schedule. */
function buildVehicle(
  { tables }: Timetable,
  planned: PlannedCalls,
  { trip, day }: RunningTrip,
  now: Instant,
): FeedEntity {
  let position = 0;
  while (position < planned.callCount(trip) - 1 && planned.departure(trip, day, position) < now) position += 1;
  const stop = planned.stop(trip, position);
  const described = describeTrip(planned, { trip, day, delaySeconds: 0 });
  const id = `vehicle of ${described.tripId}`;
  return {
    id,
    vehicle: {
      trip: described,
      vehicle: { id },
      position: { latitude: tables.stops.lat[stop]!, longitude: tables.stops.lon[stop]!, bearing: trip % 360 },
      currentStopSequence: position + 1,
      currentStatus: 'IN_TRANSIT_TO',
      timestamp: now,
    },
  };
}

const ALERT_TEXT =
  'Wegen Bauarbeiten kommt es zu Verspätungen von bis zu 15 Minuten. Bitte planen Sie mehr Zeit ein und achten Sie ' +
  'auf die Anzeigen und Durchsagen. Fahrgäste mit Ziel in der Innenstadt weichen auf andere Linien aus.';

/** An alert for a line; every third one only for a stop of it. */
function buildAlert(planned: PlannedCalls, running: RunningTrip, index: number): FeedEntity {
  const { routeId } = describeTrip(planned, running);
  const stopId = stopIdAt(planned, running.trip, planned.callCount(running.trip) >> 1);
  const inGerman = (text: string) => ({ translation: [{ text, language: 'de' }] });
  return {
    id: `alert ${index}`,
    alert: {
      activePeriod: [],
      informedEntity: [{ routeId, ...(index % 180 === 0 ? { stopId } : {}) }],
      cause: 'CONSTRUCTION',
      effect: 'SIGNIFICANT_DELAYS',
      headerText: inGerman(`Bauarbeiten auf der Linie ${routeId}`),
      descriptionText: inGerman(`${ALERT_TEXT} (${index})`),
    },
  };
}
