import { isClockOff } from '../../model/clock-tolerance.ts';
import { isCoordinate } from '../../model/geo.ts';
import { isSpecialService } from '../../model/notice-words.ts';
import { toPlainLine } from '../../model/plain-text.ts';
import type { RecordProblem } from '../../model/problem.ts';
import type { Product } from '../../model/product.ts';
import {
  emptyUpdate,
  type SourceUpdate,
  type StationBoard,
  type StopName,
  type TripReport,
} from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { normaliseNotices } from './normalise-notices.ts';
import type { RawDeparture, RawLine, RawMonitorAnswer, RawMonitorLine, RawStop } from './raw-records.ts';
import { type AnswerContext, parseTime } from './read-time.ts';

/** If the newest planned departure of a line at a platform is older than this, its data are no longer maintained. */
const MAX_LINE_AGE_SECONDS = 30 * 60;
/** Monitors cover 70 minutes; a single planned time further from now than this, either way, is an error. */
const MAX_PLANNED_DISTANCE_SECONDS = 2 * 3600;
/**
 * Monitors drop a departure within about a minute; a forecast this far in the past shows that the line is not updated.
 */
const MAX_PASSED_SECONDS = 10 * 60;
/** No line has this many departures from one platform in the same second, */
const PILE_SIZE = 3;
/** least of all in the present one. */
const PRESENT_SECONDS = 30;

interface DepartureTimes {
  readonly plannedAt: Instant;
  readonly realAt: Instant | null;
}

/**
 * Whether the departures of one line at one platform are frozen. Seen in 2026 on the underground: planned times of two
 * days before, `timeReal` set to the present second after second, while buses of the same answer were right; so each
 * line is judged separately, by its planned times. In the first hour such a line still has future departures; it is
 * recognised by the past ones, whose forecasts all equal the present second. A line without departures is not frozen.
 * @param clock the server's, else ours
 */
export function isFrozenLine(departures: readonly DepartureTimes[], clock: Instant): boolean {
  if (departures.length === 0) return false;
  const isOld = departures.every(({ plannedAt }) => plannedAt < clock - MAX_LINE_AGE_SECONDS);
  const hasLongPassed = departures.some(({ realAt }) => realAt !== null && realAt < clock - MAX_PASSED_SECONDS);
  return isOld || hasLongPassed || arePiledUp(departures, clock);
}

/** Whether departures with several planned times are all forecast for the present second. */
function arePiledUp(departures: readonly DepartureTimes[], clock: Instant): boolean {
  const plansBySecond = new Map<Instant, Set<Instant>>();
  for (const { plannedAt, realAt } of departures) {
    if (realAt === null || Math.abs(realAt - clock) > PRESENT_SECONDS) continue;
    const plans = plansBySecond.get(realAt) ?? new Set();
    plansBySecond.set(realAt, plans.add(plannedAt));
  }
  return [...plansBySecond.values()].some(({ size }) => size >= PILE_SIZE);
}

/** Whether a planned time is so far from now that its forecast cannot be right. */
function isFarFromNow(plannedAt: Instant, clock: Instant): boolean {
  return Math.abs(plannedAt - clock) > MAX_PLANNED_DISTANCE_SECONDS;
}

/** A usable departure with its normalised values. */
interface MonitorDeparture extends DepartureTimes {
  readonly place: string;
  readonly line: string;
  readonly towards: string | null;
  readonly platform: string | null;
  readonly product: Product | null;
}

/** A line at a platform, parsed and checked. */
interface MonitorLine {
  readonly stop: RawStop;
  readonly departures: readonly MonitorDeparture[];
  /** None of its times is current. */
  readonly isFrozen: boolean;
}

/**
 * Boards of the underground at each station, soonest departure first. Trams and buses in front of a station and frozen
 * lines are left out; if all lines are frozen, the board is frozen and empty.
 */
function buildStationBoards(
  lines: readonly MonitorLine[],
  stations: readonly number[],
  publishedAt: Instant | null,
  isOfAnotherTime: boolean,
): StationBoard[] {
  return stations.map((station) => {
    const metroLines = lines
      .filter(({ stop }) => Number(stop.diva) === station)
      .map((line) => ({ ...line, departures: line.departures.filter(({ product }) => product === 'subway') }))
      .filter(({ departures }) => departures.length > 0);
    const liveLines = metroLines.filter(({ isFrozen }) => !isFrozen);
    return {
      station: String(station),
      publishedAt,
      isFrozen: isOfAnotherTime || (metroLines.length > 0 && liveLines.length === 0),
      departures: liveLines.flatMap(({ departures }) => departures.map(toBoardRow)).sort(compareRows),
    };
  });
}

type BoardRow = StationBoard['departures'][number];

function toBoardRow({ line, towards, plannedAt, realAt }: MonitorLine['departures'][number]): BoardRow {
  return { line, towards: towards ?? '', plannedAt, realAt };
}

function compareRows(a: BoardRow, b: BoardRow): number {
  const seconds = (a.realAt ?? a.plannedAt) - (b.realAt ?? b.plannedAt);
  if (seconds !== 0) return seconds;
  return compareTexts(a.line, b.line) || compareTexts(a.towards, b.towards) || a.plannedAt - b.plannedAt;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The publisher's vehicle types, as in its register of lines (`MeansOfTransport`). */
const products: ReadonlyMap<string, Product> = new Map([
  ['ptMetro', 'subway'],
  ['ptTram', 'tram'],
  // The Badner Bahn, and the tourist tram around the Ring.
  ['ptTramWLB', 'tram'],
  ['ptTramVRT', 'tram'],
  ['ptBusCity', 'cityBus'],
  ['ptBusNight', 'nightBus'],
  ['ptBusRegion', 'regionalBus'],
  // Buses on demand.
  ['ptRufBus', 'cityBus'],
  ['ptTrainS', 'sBahn'],
]);

/** @returns null for an unknown type */
function findProduct(vehicleType: string): Product | null {
  return products.get(vehicleType) ?? null;
}

/**
 * Normalises a `monitor` answer: a trip report of one call for each departure, the boards of the requested stations,
 * and the traffic information in it. The format has neither trip ids nor cancellations, and `timeReal` is always a
 * forecast (decisions, section 5). A departure without a valid planned time or line is refused. It is kept without its
 * forecast if that is invalid or cannot be current: `frozen` for a frozen line, `far_from_now` for a single time.
 * @param stations requested DIVA numbers; each gets a board, possibly empty
 */
export function normaliseMonitor(
  answer: RawMonitorAnswer,
  stations: readonly number[],
  { source, fetchedAt }: AnswerContext,
): SourceUpdate {
  const problems: RecordProblem[] = [...answer.problems];
  const report = (code: string, place: string, detail: string) => problems.push({ code, source, place, detail });
  const publishedAt = parseTime(answer.serverTime);
  const clock = publishedAt ?? fetchedAt;
  const isOfAnotherTime = isClockOff(publishedAt, fetchedAt);
  const lines = answer.lines.map((line) => readLine(line, clock, isOfAnotherTime, report));
  const judged = lines.filter(({ departures }) => departures.length > 0);
  const notices = normaliseNotices(answer.notices, source);
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen: isOfAnotherTime || (judged.length > 0 && judged.every(({ isFrozen }) => isFrozen)),
    trips: lines.flatMap(({ stop, departures }) =>
      departures.map((departure) => toTripReport(departure, stop, publishedAt)),
    ),
    alerts: notices.alerts,
    stationBoards: buildStationBoards(lines, stations, publishedAt, isOfAnotherTime),
    recordCount: answer.recordCount,
    problems: [...problems, ...notices.problems],
  };
}

type Report = (code: string, place: string, detail: string) => void;

function readLine(raw: RawMonitorLine, clock: Instant, isOfAnotherTime: boolean, report: Report): MonitorLine {
  const departures = raw.departures
    .map((departure) => readDeparture(departure, raw, report))
    .filter((departure) => departure !== null);
  const isFrozen = isOfAnotherTime || isFrozenLine(departures, clock);
  return {
    stop: raw.stop,
    isFrozen,
    departures: departures.map((departure) => withoutDoubtfulTime(departure, isFrozen, clock, report)),
  };
}

/** Drops a forecast that cannot be current and keeps the planned time. */
function withoutDoubtfulTime(
  departure: MonitorDeparture,
  isFrozen: boolean,
  clock: Instant,
  report: Report,
): MonitorDeparture {
  const { place, plannedAt, realAt } = departure;
  if (realAt === null || !(isFrozen || isFarFromNow(plannedAt, clock))) return departure;
  if (isFrozen) report('frozen', place, 'the times of its line are not of now');
  else report('far_from_now', place, `${Math.round((plannedAt - clock) / 60)} min`);
  return { ...departure, realAt: null };
}

/** A vehicle may differ from the line of its monitor: short-turning trips, another line number, another track. */
function readDeparture(raw: RawDeparture, { line, stop }: RawMonitorLine, report: Report): MonitorDeparture | null {
  const fieldOf = (name: keyof RawLine) => raw.vehicle?.[name] ?? line[name];
  const label = toPlainLine(fieldOf('name') ?? '');
  const plannedAt = parseTime(raw.timePlanned);
  if (label === '') {
    report('departure_without_line', raw.place, '');
    return null;
  }
  if (plannedAt === null) {
    report('bad_planned_time', raw.place, raw.timePlanned ?? 'absent');
    return null;
  }
  const realAt = parseTime(raw.timeReal);
  if (raw.timeReal !== undefined && realAt === null) report('bad_real_time', raw.place, raw.timeReal);
  const type = fieldOf('type');
  const product = type === undefined ? null : findProduct(type);
  if (type !== undefined && product === null) report('unknown_vehicle_type', raw.place, type);
  return {
    place: raw.place,
    line: label,
    towards: toPlainLine(fieldOf('towards') ?? '') || null,
    // Without a gate, `platform` only repeats the number of the direction (`richtungsId`).
    platform: stop.gate === undefined ? null : toPlainLine(fieldOf('platform') ?? stop.gate) || null,
    product,
    plannedAt,
    realAt,
  };
}

function toTripReport(departure: MonitorDeparture, stop: RawStop, publishedAt: Instant | null): TripReport {
  return {
    place: departure.place,
    trip: {
      tripId: null,
      routeId: null,
      // H and R do not map to direction_id: in the timetable of the underground, H is 1 on the U1 and 0 on the U6.
      directionId: null,
      startDate: null,
      startTime: null,
      lineLabel: departure.line,
      product: departure.product,
      operatorName: null,
      headsign: departure.towards,
    },
    relationship: 'scheduled',
    newTripId: null,
    recordedAt: publishedAt,
    delaySeconds: null,
    calls: [
      {
        stopSequence: null,
        stop: toStopName(stop),
        arrival: null,
        departure: {
          scheduledTime: departure.plannedAt,
          time: departure.realAt,
          delaySeconds: null,
          isMeasured: false,
        },
        state: 'normal',
        scheduledPlatform: null,
        platform: departure.platform,
        cancelledEvent: null,
        assignedStopId: null,
      },
    ],
    vehicleId: null,
    originName: null,
    isSpecial: isSpecialService(departure.towards),
  };
}

/**
 * The station's number if sent, with the position of the platform: timetables have station numbers, but no platform
 * numbers.
 */
function toStopName({ diva, rbl, title, lat, lon }: RawStop): StopName {
  const isPlace = lat !== undefined && lon !== undefined && isCoordinate(lat, lon);
  return {
    id: diva ?? rbl ?? null,
    idSpace: diva === undefined ? 'rbl' : 'diva',
    name: toPlainLine(title ?? '') || null,
    lat: isPlace ? lat : null,
    lon: isPlace ? lon : null,
  };
}
