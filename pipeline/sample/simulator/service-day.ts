import { type Instant, type ServiceDate, serviceDayStart, toEpochDay } from '../../model/service-time.ts';
import { listServicesOn, type SampleService } from '../feed/calendar.ts';
import type { SampleTrip } from '../feed/sample-trips.ts';
import type { FindBreakdown } from './breakdowns.ts';
import { type Closure, isOnStreet, listClosures, listLines } from './closures.ts';
import { buildConditions } from './conditions.ts';
import type { SimulatedLine } from './network.ts';
import { type PlannedTrip, plannedEnd } from './planned-trip.ts';
import { between, pick, type Random, seededRandom, wholeBetween } from './seeded-random.ts';
import { type Circumstances, simulateTrip, type TripHistory } from './trip-history.ts';

/** The time zone of the made-up country. */
export const SAMPLE_ZONE = 'Europe/Vienna';

/** The plan of a service date and everything that happens on it. Seconds of the service day. */
export interface ServiceDay {
  readonly date: ServiceDate;
  /** Start of the service day. */
  readonly start: Instant;
  readonly closures: readonly Closure[];
  readonly outages: readonly Outage[];
  readonly lines: readonly DayLine[];
}

/** A line in one direction on one day. */
interface DayLine {
  /** By planned start. */
  readonly datedTrips: readonly PlannedTrip[];
  /** Planned first departure and last arrival. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** Actual times of each trip, in the order of `datedTrips`; null for cancelled ones. Computed on first use. */
  getHistories(): readonly (TripHistory | null)[];
}

/** A period in which the data of a line are lost. */
export interface Outage {
  readonly lineId: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/** Plans a day; equal arguments give an equal day, independent of earlier calls. */
export function planServiceDay(
  network: readonly SimulatedLine[],
  date: ServiceDate,
  seed: number,
  findBreakdown: FindBreakdown = () => null,
): ServiceDay {
  const start = serviceDayStart(date, SAMPLE_ZONE);
  const services = listServicesOn(date);
  const closures = listClosures(network, date, seed);
  const conditions = buildConditions(date, seed);
  const lines: DayLine[] = [];
  for (const line of network) {
    const datedTrips = planTrips({ line, date, start, services, seed });
    if (datedTrips.length === 0) continue;
    lines.push(toDayLine(datedTrips, { conditions, seed, findBreakdown, ...pickClosures(line, closures) }));
  }
  return { date, start, closures, outages: drawOutages(network, date, seed), lines };
}

// ---- Dated trips -------------------------------------------------------------------------------

interface LineDay {
  readonly line: SimulatedLine;
  readonly date: ServiceDate;
  readonly start: Instant;
  readonly services: ReadonlySet<SampleService>;
  readonly seed: number;
}

const ADDED_SHARE = 0.004;
/** A line with sick drivers cancels several times as many trips as others; the average is two in three hundred. */
const CANCELLED_SHARE = { least: 0.001, most: 0.0125 };
const SILENT_SHARE = 0.025;
const WITHOUT_POSITION_SHARE = 0.06;

function planTrips(day: LineDay): readonly PlannedTrip[] {
  const { line, date, services, seed } = day;
  const { timetable } = line;
  const cancelledShare = between(
    seededRandom(seed, `cancelled ${date} ${timetable.line.id}`),
    CANCELLED_SHARE.least,
    CANCELLED_SHARE.most,
  );
  const trips = timetable.trips.filter(({ service }) => services.has(service));
  const datedTrips = trips.flatMap((trip) =>
    listStarts(trip).flatMap((startSeconds) => planTrip(day, trip, startSeconds, cancelledShare)),
  );
  datedTrips.sort((a, b) => a.startSeconds - b.startSeconds);
  return datedTrips.map((datedTrip, i) =>
    datedTrip.vehicleId === null ? datedTrip : { ...datedTrip, vehicleId: vehicleId(datedTrip, i) },
  );
}

function listStarts({ startSeconds, windows }: SampleTrip): readonly number[] {
  if (!windows) return [startSeconds];
  return windows.flatMap(({ from, to, headwayMinutes }) => {
    const count = Math.ceil(((to - from) * 60) / headwayMinutes);
    return Array.from({ length: count }, (_, i) => from * 3600 + i * headwayMinutes * 60);
  });
}

/** The dated trip itself and, for a few, a second vehicle behind it. */
function planTrip(day: LineDay, trip: SampleTrip, startSeconds: number, cancelledShare: number): PlannedTrip[] {
  const { line, date, start, seed } = day;
  const key = `${date} ${trip.id} ${startSeconds}`;
  const random = seededRandom(seed, `fate ${key}`);
  const isCancelled = random() < cancelledShare;
  const noticeSeconds = wholeBetween(random, 30, 240) * 60;
  const isAdded = random() < ADDED_SHARE && trip.windows === null;
  const datedTrip: PlannedTrip = {
    key,
    tripId: trip.id,
    date,
    dayStart: start,
    line,
    shortName: trip.shortName || null,
    startSeconds,
    times: trip.times,
    isAdded: false,
    cancelledAt: isCancelled ? startSeconds - noticeSeconds : null,
    isDataLost: !isCancelled && random() < SILENT_SHARE,
    vehicleId: random() < WITHOUT_POSITION_SHARE ? null : '',
  };
  return isAdded ? [datedTrip, addTrip(datedTrip, random)] : [datedTrip];
}

function addTrip(datedTrip: PlannedTrip, random: Random): PlannedTrip {
  return {
    ...datedTrip,
    key: `${datedTrip.key} added`,
    tripId: `${datedTrip.tripId}-added`,
    shortName: null,
    startSeconds: datedTrip.startSeconds + wholeBetween(random, 3, 6) * 60,
    isAdded: true,
    cancelledAt: null,
    isDataLost: false,
  };
}

/**
 * Trips of three days can be in progress at once; each day has a separate range of a thousand numbers per direction.
 */
function vehicleId({ line, date }: PlannedTrip, ordinal: number): string {
  const { timetable } = line;
  const block = 2 * (toEpochDay(date) % 3) + timetable.direction + 1;
  return `${timetable.line.id}-${block * 1000 + ordinal}`;
}

function pickClosures(
  { timetable: { line } }: SimulatedLine,
  closures: readonly Closure[],
): Pick<Circumstances, 'closures' | 'queues'> {
  return {
    closures: closures.filter((closure) => closure.line === line),
    queues: isOnStreet(line.mode) ? closures.filter(({ queueSeconds }) => queueSeconds > 0) : [],
  };
}

function toDayLine(datedTrips: readonly PlannedTrip[], circumstances: Omit<Circumstances, 'ahead'>): DayLine {
  let histories: readonly (TripHistory | null)[] | null = null;
  return {
    datedTrips,
    firstSeconds: datedTrips[0]!.startSeconds,
    lastSeconds: Math.max(...datedTrips.map(plannedEnd)),
    getHistories() {
      histories ??= simulateTrips(datedTrips, circumstances);
      return histories;
    },
  };
}

/** In order, as no trip may overtake the previous one. */
function simulateTrips(
  datedTrips: readonly PlannedTrip[],
  circumstances: Omit<Circumstances, 'ahead'>,
): readonly (TripHistory | null)[] {
  let ahead: TripHistory | null = null;
  return datedTrips.map((datedTrip) => {
    if (datedTrip.cancelledAt !== null) return null;
    ahead = simulateTrip(datedTrip, { ...circumstances, ahead });
    return ahead;
  });
}

// ---- Lost data ---------------------------------------------------------------------------------

const OUTAGES = 2;
const OUTAGE_SECONDS = 1800;

function drawOutages(network: readonly SimulatedLine[], date: ServiceDate, seed: number): readonly Outage[] {
  const random = seededRandom(seed, `outages ${date}`);
  const lines = listLines(network).filter(({ mode }) => isOnStreet(mode) || mode === 'metro' || mode === 's_bahn');
  return Array.from({ length: OUTAGES }, () => {
    const fromSeconds = Math.round(between(random, 6, 22) * 60) * 60;
    return { lineId: pick(random, lines).id, fromSeconds, toSeconds: fromSeconds + OUTAGE_SECONDS };
  });
}
