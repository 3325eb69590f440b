import { findStop } from '../../api/engine/read/stop-ids.ts';
import { getMembers, type Timetable } from '../../api/engine/read/timetable.ts';
import { fromEpochDay, type Instant, localDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { openPlannedCalls, type PlannedCalls } from '../../pipeline/realtime/state/planned-calls.ts';
import { runsOn } from '../../pipeline/snapshots/timetable-lookups.ts';
import type { FeedEntity, StopTimeEvent } from '../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { makeRandom } from './made-up-stops.ts';
import { ASKED_STOPS, listAskedStops } from './national-questions.ts';

/** A trip under way, and how it is doing. */
interface RunningTrip {
  readonly trip: number;
  readonly day: number;
  /** What it has lost at its end; on the way there it loses it bit by bit. */
  readonly delaySeconds: number;
}

/** The running trips of a country, and what a publisher says of them. */
export interface Traffic {
  readonly tripCount: number;
  readonly callCount: number;
  /** A whole TripUpdates message: the plan and the delay of each call, past ones measured. */
  writeTripUpdates(now: Instant, change: TrafficChange): Uint8Array;
  /** A position for every fourth trip and an alert for every 60th one's line, as one message. */
  writeNews(now: Instant): Uint8Array;
}

export interface TrafficPlan {
  /** null: all that are under way, or are about to call where boards are asked for. */
  readonly tripCount: number | null;
  /** Of so many trips one is cancelled, one leaves a stop out, and one runs once more beside the timetable. */
  readonly oddEvery: number;
}

/** Since the first message: `none`, or a minute more for every tenth trip. */
export type TrafficChange = 'none' | 'tenth';

const SEED = 2026;
const ZONE = 'Europe/Vienna';
/** What a busy station's board shows. */
const BOARD_SECONDS = 1800;

/**
 * The traffic at a moment. Trips that will call where boards are asked for come first, also those that are about to
 * set out, so that these boards are as live as they can be.
 * @throws Error when there are fewer
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
  const askedCalls = findAskedCalls(timetable);
  const asked: number[] = [];
  const others: number[] = [];
  for (let trip = 0; trip < tables.trips.service.length; trip++) {
    if (!runsOn(tables, tables.trips.service[trip]!, day)) continue;
    const last = planned.callCount(trip) - 1;
    const isDueAt = (position: number) => {
      const time = planned.departure(trip, day, position);
      return now <= time && time < now + BOARD_SECONDS;
    };
    if (askedCalls.get(tables.trips.pattern[trip]!)?.some(isDueAt)) asked.push(trip);
    else if (planned.departure(trip, day, 0) <= now && now < planned.arrival(trip, day, last)) others.push(trip);
  }
  const chosen = pickEvenly(asked, tripCount ?? asked.length);
  chosen.push(...pickEvenly(others, (tripCount ?? asked.length + others.length) - chosen.length));
  if (tripCount !== null && chosen.length < tripCount)
    throw new Error(`only ${chosen.length} trips are under way, not ${tripCount}`);
  const random = makeRandom(SEED);
  return chosen.map((trip) => ({ trip, day, delaySeconds: makeDelay(random) }));
}

/** Where patterns call at the stations of the questions: positions by pattern. */
function findAskedCalls(timetable: Timetable): Map<number, number[]> {
  const { stops, stopCalls } = timetable.tables;
  const stations = listAskedStops(timetable, ASKED_STOPS).map(({ id }) => findStop(timetable, id)!);
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

/** Four in ten are on time, most others some minutes late, one in twenty much. */
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

/** One in so many is cancelled, another one leaves a stop out, and a third one runs once more beside the timetable. */
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

/** At the first call that it has not left by plan. */
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

/** Of a line; every third at one of its stops alone. */
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
