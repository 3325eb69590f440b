import { OBSERVED } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PublishedAlert } from '../../../pipeline/snapshots/realtime-contract.ts';
import { findLiveTrip, findPrediction, type Published, type Realtime } from '../../engine/read/realtime.ts';
import { findLeg, type NamedLeg } from '../../engine/rescue/read-legs.ts';
import type { DatedRide } from '../../engine/trips/run.ts';
import type { WatchedLeg } from '../watch.ts';

/** A leg that watches share: where it is in the present snapshots, and what was seen of it last. */
export interface TrackedRide {
  readonly leg: NamedLeg;
  /** Row in the timetable; null where the leg is not there, or only in the realtime snapshot. */
  planned: DatedRide | null;
  /** Changes whenever anything changes that a watch reports; equal signatures mean that nothing did. */
  signature: number;
  /** Whether it changed between the last two looks. */
  hasChanged: boolean;
  /** Watches that hold it. */
  uses: number;
}

/** Signature of a ride that is to be judged anyhow. */
const ALWAYS_CHANGED = -1;

/** The rides of all watches, each once, followed from one pair of snapshots to the next. */
interface RideTracker {
  hold(leg: WatchedLeg): TrackedRide;
  release(ride: TrackedRide): void;
  /** Finds the rides in a new timetable, some at a time: it is waited for `pause` in between. */
  followTimetable(published: Published, pause: () => Promise<void>): Promise<void>;
  /** Takes a new pair of the same timetable. */
  follow(published: Published): void;
  /** Compares each ride with its state at the last look, with one lookup in the realtime snapshot. */
  look(instant: Instant): void;
  /** The ride in the present pair; null where it no longer runs so. */
  find(ride: TrackedRide): DatedRide | null;
  readonly size: number;
}

const RIDES_AT_A_TIME = 500;

export function createRideTracker(): RideTracker {
  const rides = new Map<string, TrackedRide>();
  let present: Published | null = null;
  /** Realtime of the last look. */
  let looked: Realtime | null = null;

  const place = (ride: TrackedRide) => {
    // Without realtime, so that a scheduled trip is found even if another one replaces it.
    ride.planned = present && findLeg({ timetable: present.timetable, realtime: null }, ride.leg);
    ride.signature = ALWAYS_CHANGED;
    ride.hasChanged = true;
  };
  return {
    hold(leg) {
      const named = toNamedLeg(leg);
      const name = nameRide(named);
      const ride = rides.get(name) ?? makeRide(named);
      if (ride.uses === 0) {
        rides.set(name, ride);
        place(ride);
      }
      ride.uses += 1;
      return ride;
    },
    release(ride) {
      ride.uses -= 1;
      if (ride.uses === 0) rides.delete(nameRide(ride.leg));
    },
    async followTimetable(published, pause) {
      present = published;
      looked = null;
      let count = 0;
      for (const ride of rides.values()) {
        place(ride);
        if (++count % RIDES_AT_A_TIME === 0) await pause();
      }
    },
    follow(published) {
      present = published;
    },
    look(instant) {
      const realtime = present?.realtime ?? null;
      const alerts = findChangedAlerts(looked, realtime);
      const platforms = new Map<number, number>();
      looked = realtime;
      for (const ride of rides.values()) {
        const before = ride.signature;
        ride.signature =
          realtime && ride.planned ? signRide(realtime, ride.planned, instant, platforms) : ALWAYS_CHANGED;
        const hasChangedAlerts = alerts !== null && ride.planned !== null && isTouched(alerts, present!, ride.planned);
        ride.hasChanged = hasChangedAlerts || ride.signature === ALWAYS_CHANGED || ride.signature !== before;
      }
    },
    find: (ride) => present && findPresent(present, ride),
    get size() {
      return rides.size;
    },
  };
}

function makeRide(leg: NamedLeg): TrackedRide {
  return { leg, planned: null, signature: ALWAYS_CHANGED, hasChanged: true, uses: 0 };
}

function nameRide({ journey, originId, destinationId }: NamedLeg): string {
  return `${journey.tripKey} ${journey.day} ${originId} ${destinationId}`;
}

function toNamedLeg({ tripKey, day, originId, destinationId }: WatchedLeg): NamedLeg {
  return { journey: { tripKey: BigInt(tripKey), day }, originId, destinationId };
}

/** A trip of the timetable that runs as planned needs no search among the added ones. */
function findPresent(published: Published, { planned, leg }: TrackedRide): DatedRide | null {
  const { realtime } = published;
  if (planned && (!realtime || !isReplaced(realtime, planned))) return planned;
  return findLeg(published, leg);
}

function isReplaced(realtime: Realtime, { trip, day }: DatedRide): boolean {
  const row = findLiveTrip(realtime, trip, day);
  return row >= 0 && realtime.tables.trips.replacedBy[row]! >= 0;
}

// ---- Signatures --------------------------------------------------------------------------------

/** What is known of the calls of a ride, of its trip, and of our forecast for it, in one number. */
function signRide(
  realtime: Realtime,
  { trip, day, boardPosition, alightPosition }: DatedRide,
  instant: Instant,
  platforms: Map<number, number>,
): number {
  const { trips, calls } = realtime.tables;
  const row = findLiveTrip(realtime, trip, day);
  if (row < 0) return 0;
  if (trips.replacedBy[row]! >= 0) return ALWAYS_CHANGED;
  const board = trips.firstCall[row]! + boardPosition;
  const alight = trips.firstCall[row]! + alightPosition;
  let sign = mix(1, trips.flags[row]!);
  sign = mix(sign, trips.substitute[row]!);
  for (let call = board; call <= alight; call++) sign = mix(sign, calls.flags[call]!);
  sign = mix(
    sign,
    readTime(calls.departure[board]!, calls.departurePrognosis[board]!, calls.expiresAt[board]!, instant),
  );
  sign = mix(
    sign,
    readTime(calls.arrival[alight]!, calls.arrivalPrognosis[alight]!, calls.expiresAt[alight]!, instant),
  );
  sign = mix(sign, signPlatform(realtime, calls.platform[board]!, platforms));
  sign = mix(sign, signForecast(realtime, trip, day, boardPosition));
  sign = mix(sign, signForecast(realtime, trip, day, alightPosition));
  return sign & 0x7fffffff;
}

/** FNV-1a over 32-bit words, with the bits of each spread. */
function mix(sign: number, value: number): number {
  const mixed = Math.imul(sign ^ value, 0x01000193);
  return mixed ^ (mixed >>> 15);
}

/** 0 where there is no time that may be shown. */
function readTime(time: number, evidence: number, expiresAt: number, instant: Instant): number {
  return evidence === OBSERVED || instant <= expiresAt ? time : 0;
}

/** By its text: rows of texts differ from one snapshot to the next. */
function signPlatform({ tables }: Realtime, row: number, platforms: Map<number, number>): number {
  if (row < 0) return 0;
  const known = platforms.get(row);
  if (known !== undefined) return known;
  let sign = 7;
  for (const character of tables.texts.text.get(row)) sign = mix(sign, character.codePointAt(0)!);
  platforms.set(row, sign);
  return sign;
}

/** Seconds of a forecast that make no difference to a change. */
const FORECAST_STEP_SECONDS = 30;

function signForecast(realtime: Realtime, trip: number, day: number, position: number): number {
  const row = findPrediction(realtime, trip, day);
  if (row < 0) return 0;
  const { predictions, predictedCalls } = realtime.tables;
  const ahead = position - predictions.position[row]! - 1;
  if (ahead < 0 || ahead >= predictions.callCount[row]!) return 0;
  const call = predictions.firstCall[row]! + ahead;
  const median = Math.round(predictedCalls.median[call]! / FORECAST_STEP_SECONDS);
  return mix(median + 1, Math.round(predictedCalls.high[call]! / FORECAST_STEP_SECONDS));
}

// ---- Alerts ------------------------------------------------------------------------------------

/** Places of the alerts that appeared or disappeared between two snapshots. */
interface ChangedAlerts {
  readonly routes: ReadonlySet<number>;
  readonly stops: ReadonlySet<number>;
  readonly trips: ReadonlySet<number>;
}

/** @returns null where no alert has changed */
function findChangedAlerts(before: Realtime | null, after: Realtime | null): ChangedAlerts | null {
  const [old, young] = [before, after].map((realtime) => new Set(realtime?.alertIndex.alerts ?? [])) as [
    Set<PublishedAlert>,
    Set<PublishedAlert>,
  ];
  // Unchanged alerts are the same objects, see `openRealtime`.
  const changed = [...[...old].filter((alert) => !young.has(alert)), ...[...young].filter((alert) => !old.has(alert))];
  if (changed.length === 0) return null;
  const entities = changed.flatMap((alert) => alert.entities);
  return {
    routes: new Set(entities.flatMap(({ routes }) => routes ?? [])),
    stops: new Set(entities.flatMap(({ stops }) => stops ?? [])),
    trips: new Set(entities.flatMap(({ trips }) => trips?.map(({ trip }) => trip) ?? [])),
  };
}

function isTouched(
  { routes, stops, trips }: ChangedAlerts,
  { timetable }: Published,
  { trip, boardPosition, alightPosition }: DatedRide,
): boolean {
  const { patterns, patternCalls, stops: allStops, ...tables } = timetable.tables;
  const pattern = tables.trips.pattern[trip]!;
  if (trips.has(trip) || routes.has(patterns.route[pattern]!)) return true;
  if (stops.size === 0) return false;
  const first = patterns.firstCall[pattern]!;
  for (let position = boardPosition; position <= alightPosition; position++) {
    const stop = patternCalls.stop[first + position]!;
    if (stops.has(stop) || stops.has(allStops.station[stop]!)) return true;
  }
  return false;
}
