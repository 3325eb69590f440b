import type { Problem } from '../../model/problem.ts';
import type { Product } from '../../model/product.ts';
import {
  type CallReport,
  emptyUpdate,
  type SourceUpdate,
  type TimeReport,
  type TripName,
  type TripRelationship,
  type TripReport,
  type VehicleReport,
} from '../../model/realtime.ts';
import {
  type Instant,
  localDate,
  parseServiceDate,
  type ServiceDate,
  type ServiceTime,
  serviceDayStart,
} from '../../model/service-time.ts';
import { toAlertReports } from './alert-report.ts';
import type { HafasCall, HafasMovement, HafasRecords, HafasRun } from './hafas-records.ts';
import type { HafasLine } from './load-profile.ts';
import { type JsonObject, objectOf, textOf } from './mgate-answer.ts';
import { toInstant, toLineLabel, toStopName } from './names.ts';

type Event = 'a' | 'd';

/** The one word of HAFAS that a time was reported from the vehicle's passage; the others are kinds of forecast. */
const MEASURED = 'REPORTED';

/**
 * A call in the model's words. `stopSequence` stays null: HAFAS counts borders and junctions too.
 * @see decisions, section 5: any realtime time is a forecast, even a past one; only `REPORTED` is measured
 */
function toCallReport({ stop, stopover, raw }: HafasCall): CallReport {
  return {
    stopSequence: null,
    stop: stop === null ? null : toStopName(stop),
    arrival: toTimeReport(raw, 'a', stopover.plannedArrival, stopover.arrival),
    departure: toTimeReport(raw, 'd', stopover.plannedDeparture, stopover.departure),
    state: toState(raw),
    scheduledPlatform: textOf(stopover.plannedDeparturePlatform) ?? textOf(stopover.plannedArrivalPlatform),
    platform: platformOf(raw, 'd') ?? platformOf(raw, 'a'),
    assignedStopId: null,
  };
}

/** @param time the forecast, or the plan where there is none: whether there is one, only the raw member tells */
function toTimeReport(raw: JsonObject, event: Event, planned: string | null, time: string | null): TimeReport | null {
  const isForecast = textOf(raw[`${event}TimeR`]) !== null && !isCancelled(raw, event);
  if (planned === null && !isForecast) return null;
  const forecast = isForecast ? toInstant(time) : null;
  return {
    scheduledTime: toInstant(planned),
    time: forecast,
    delaySeconds: null,
    isMeasured: forecast !== null && raw[`${event}ProgType`] === MEASURED,
  };
}

/**
 * A call has one state and HAFAS cancels arrival and departure apart. Riders wait for the departure, so it decides
 * where there is one: a train that begins late is there to be boarded, one that ends early is not.
 */
function toState(raw: JsonObject): CallReport['state'] {
  if (isCancelled(raw, 'd') || (isCancelled(raw, 'a') && !hasTime(raw, 'd'))) return 'skipped';
  return raw.isAdd === true ? 'unplanned' : 'normal';
}

function isCancelled(raw: JsonObject, event: Event): boolean {
  return raw[`${event}Cncl`] === true;
}

function hasTime(raw: JsonObject, event: Event): boolean {
  return textOf(raw[`${event}TimeS`]) !== null || textOf(raw[`${event}TimeR`]) !== null;
}

/** The platform as now announced; endpoints tell it as a text or as an object with one. */
function platformOf(raw: JsonObject, event: Event): string | null {
  if (isCancelled(raw, event)) return null;
  return textOf(raw[`${event}PlatfR`]) ?? textOf(objectOf(raw[`${event}PltfR`]).txt);
}

type Rule = Product | ((line: HafasLine) => Product);

/**
 * Endpoints have product ids of their own (`u-bahn`, `subway`, `regiona-train`); where none of these words is in one,
 * the mode tells, and where an endpoint puts all trains into one product, the category of the train.
 */
const rules: readonly (readonly [RegExp, Rule])[] = [
  [/^subway$|^u-?bahn$|^metro$/, 'subway'],
  [/^s-?bahn$|^suburban|^urban-train$|^s-train$|^s-tog$/, 'sBahn'],
  [/tram|strassenbahn|^stadtbahn$|^luas$|^saarbahn$/, 'tram'],
  [/^city-?bus$|^stadtbus$/, ({ name }) => (isNightLine(name) ? 'nightBus' : 'cityBus')],
  [/^regional-?bus$|^fernbus$|^long-distance-bus$/, 'regionalBus'],
  [/^(?:regio|local)/, 'regionalTrain'],
];

const productsByMode: Readonly<Record<string, Rule>> = {
  train: toRailProduct,
  bus: toBusProduct,
  watercraft: 'ship',
  gondola: 'cableway',
};

const REGIONAL_CATEGORIES = ['R', 'REX', 'RE', 'RB', 'CJX', 'RS', 'ER', 'IRE', 'MEX', 'DPN', 'SB'];

/** What riders call the vehicle; null where the endpoint does not tell what runs. */
export function toProduct(line: HafasLine): Product | null {
  const id = line.product?.toLowerCase();
  if (!id) return null;
  const rule = rules.find(([pattern]) => pattern.test(id))?.[1] ?? productsByMode[line.mode ?? ''] ?? 'other';
  return typeof rule === 'function' ? rule(line) : rule;
}

function toRailProduct({ name, productName }: HafasLine): Product {
  const category = (productName ?? /^[A-Za-z]+/.exec(name ?? '')?.[0] ?? '').toUpperCase();
  if (category === 'S') return 'sBahn';
  return REGIONAL_CATEGORIES.includes(category) ? 'regionalTrain' : 'train';
}

/** Austrian regional lines have three digits and more, city lines fewer. */
function toBusProduct({ name }: HafasLine): Product {
  if (isNightLine(name)) return 'nightBus';
  return /\d{3}/.test(name ?? '') ? 'regionalBus' : 'cityBus';
}

function isNightLine(name: string | null): boolean {
  return /^(?:bus )?N ?\d/i.test(name ?? '');
}

/** Statuses of trips that the realtime made: none of them is in a timetable. */
const ADDED_STATUSES = ['A', 'S', 'R'];

/** @param zone IANA name of the endpoint's clock */
function toTripReport(run: HafasRun, zone: string): TripReport {
  const calls = run.calls.map(toCallReport);
  return {
    place: run.place,
    trip: toTripName(run, calls, zone),
    relationship: toRelationship(run),
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls,
    vehicleId: null,
    originName: run.originName ?? (run.isFromStart ? (calls[0]?.stop?.name ?? null) : null),
    isSpecial: run.status === 'S',
  };
}

function toTripName(run: HafasRun, calls: readonly CallReport[], zone: string): TripName {
  const startDate = run.startDate === null ? null : parseServiceDate(run.startDate);
  return {
    tripId: run.jid,
    routeId: null,
    directionId: null,
    startDate,
    startTime: run.isFromStart ? toStartTime(calls[0], startDate, zone) : null,
    lineLabel: toLineLabel(run.line?.name ?? null),
    product: run.line === null ? null : toProduct(run.line),
    operatorName: run.line?.operator?.name ?? null,
    headsign: run.direction,
  };
}

function toRelationship({ isCancelled, status }: HafasRun): TripRelationship {
  if (isCancelled) return 'cancelled';
  return status !== null && ADDED_STATUSES.includes(status) ? 'added' : 'scheduled';
}

function toStartTime(first: CallReport | undefined, date: ServiceDate | null, zone: string): ServiceTime | null {
  const start = first?.departure?.scheduledTime ?? null;
  return start === null || date === null ? null : ((start - serviceDayStart(date, zone)) as ServiceTime);
}

const DEGREES_PER_STEP = 360 / 32;

/**
 * A vehicle of the live map. HAFAS reckons its position from the times of the trip, so it never counts as seen at a
 * stop, and its id is that of the trip.
 * @param trip the same trip as a report, which names the vehicle back
 */
function toVehicleReport(movement: HafasMovement, trip: TripReport, publishedAt: Instant | null): VehicleReport {
  return {
    place: movement.run.place,
    id: vehicleIdOf(movement),
    label: trip.trip.lineLabel,
    trip: trip.trip,
    lat: movement.lat,
    lon: movement.lon,
    headingDeg: movement.direction === null ? null : toHeading(movement.direction),
    recordedAt: toInstant(movement.at) ?? publishedAt,
    stop: null,
    stopSequence: null,
    stopStatus: null,
    relationship: 'scheduled',
  };
}

function vehicleIdOf({ run }: HafasMovement): string {
  return run.jid ?? run.place;
}

/** From steps counter-clockwise from east to degrees clockwise from north. */
function toHeading(direction: number): number {
  return Math.round(90 - direction * DEGREES_PER_STEP + 360) % 360;
}

/** Endpoints take in realtime every minute or so; one that has not for this long stands still. */
const FROZEN_AFTER_SECONDS = 900;

interface Told {
  readonly sourceId: string;
  /** IANA name of the endpoint's clock. */
  readonly zone: string;
  readonly fetchedAt: Instant;
}

/**
 * What an answer says, in the words of the model.
 * `publishedAt` is when the endpoint last took in realtime, or its clock where it does not say. A timetable that does
 * not hold the day of the answer is told as `timetable_out_of_period`.
 */
export function normaliseHafas(records: HafasRecords, { sourceId, zone, fetchedAt }: Told): SourceUpdate {
  const publishedAt = readPublishedAt(records);
  const onMap = records.movements.map((movement) => ({
    movement,
    trip: { ...toTripReport(movement.run, zone), vehicleId: vehicleIdOf(movement) },
  }));
  const trips = records.runs.map((run) => toTripReport(run, zone));
  const problems = [...records.problems, ...findPeriodProblem(records, localDate(fetchedAt, zone))];
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen: publishedAt !== null && fetchedAt - publishedAt > FROZEN_AFTER_SECONDS,
    trips: [...trips, ...onMap.map(({ trip }) => trip)],
    vehicles: onMap.map(({ movement, trip }) => toVehicleReport(movement, trip, publishedAt)),
    alerts: toAlertReports(
      records.messages,
      records.runs.map((run, index) => ({ run, trip: trips[index]!.trip })),
    ),
    recordCount: records.recordCount,
    problems: problems.map((problem) => ({ ...problem, source: sourceId })),
  };
}

function readPublishedAt({ updatedAt }: HafasRecords): Instant | null {
  return updatedAt.realtimeSeconds === null ? toInstant(updatedAt.serverTime) : (updatedAt.realtimeSeconds as Instant);
}

function findPeriodProblem({ timetable }: HafasRecords, today: string): Omit<Problem, 'source'>[] {
  if (timetable === null) return [];
  const [begin, end] = [parseServiceDate(timetable.begin), parseServiceDate(timetable.end)];
  if (begin !== null && end !== null && begin <= today && today <= end) return [];
  const detail = `it answers from a timetable of ${timetable.begin} to ${timetable.end}`;
  return [{ code: 'timetable_out_of_period', place: 'fpB, fpE', detail }];
}
