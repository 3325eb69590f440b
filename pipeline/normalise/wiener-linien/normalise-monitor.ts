import type {
  RawDeparture,
  RawLine,
  RawMonitorAnswer,
  RawMonitorLine,
  RawStop,
} from '../../formats/wiener-linien/raw-records.ts';
import { isCoordinate } from '../../model/geo.ts';
import { toPlainLine } from '../../model/plain-text.ts';
import type { Problem } from '../../model/problem.ts';
import { emptyUpdate, type SourceUpdate, type StopName, type TripReport } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { AnswerContext } from './answer-context.ts';
import type { MonitorDeparture, MonitorLine } from './monitor-line.ts';
import { normaliseNotices } from './normalise-notices.ts';
import { parseTime } from './parse-time.ts';
import { isClockOff, isFarFromNow, isStandingStill } from './standstill.ts';
import { buildStationBoards } from './station-boards.ts';
import { findProduct } from './vehicle-type.ts';

/**
 * What a `monitor` answer says: a trip report of one call for each departure, the boards of the stations asked for,
 * and the traffic information within it. The format has neither trip ids nor cancellations, and `timeReal` is a
 * forecast for ever (decisions, section 5).
 *
 * A departure without a readable plan or line is refused. It is kept without its forecast where that cannot be read,
 * or cannot be of now: `frozen` for a line that stands still, `far_from_now` for a single time.
 * @param stations DIVA numbers that were asked for; each gets a board, if an empty one
 */
export function normaliseMonitor(
  answer: RawMonitorAnswer,
  stations: readonly number[],
  { source, fetchedAt }: AnswerContext,
): SourceUpdate {
  const problems: Problem[] = [...answer.problems];
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
  const isFrozen = isOfAnotherTime || isStandingStill(departures, clock);
  return {
    stop: raw.stop,
    isFrozen,
    departures: departures.map((departure) => withoutDoubtfulTime(departure, isFrozen, clock, report)),
  };
}

/** What stays is the plan: whatever its forecast is worth, it is none of now. */
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

/** A vehicle may differ from the line of its monitor: short runs, runs under another number, another track. */
function readDeparture(raw: RawDeparture, { line, stop }: RawMonitorLine, report: Report): MonitorDeparture | null {
  const tell = (name: keyof RawLine) => raw.vehicle?.[name] ?? line[name];
  const label = toPlainLine(tell('name') ?? '');
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
  const type = tell('type');
  const product = type === undefined ? null : findProduct(type);
  if (type !== undefined && product === null) report('unknown_vehicle_type', raw.place, type);
  return {
    place: raw.place,
    line: label,
    towards: toPlainLine(tell('towards') ?? '') || null,
    // Where there is no gate, `platform` only repeats the number of the direction (`richtungsId`).
    platform: stop.gate === undefined ? null : toPlainLine(tell('platform') ?? stop.gate) || null,
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
      // H and R are no direction_id: in a timetable of the underground H is 1 on the U1 and 0 on the U6.
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
        assignedStopId: null,
      },
    ],
    vehicleId: null,
    originName: null,
    isSpecial: false,
  };
}

/**
 * The station's number where it is told, with the place of the platform: timetables know stations by it, while the
 * platform's own number is in none of them.
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
