import type { RecordProblem } from '../../model/problem.ts';
import type { Product } from '../../model/product.ts';
import {
  type CallReport,
  emptyUpdate,
  type ReportedTime,
  type SourceUpdate,
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
import type { HafasCall, HafasDatedTrip, HafasMovement, HafasRecords } from './hafas-records.ts';
import type { HafasLine } from './load-profile.ts';
import { type MgateObject, objectOf, textOf } from './mgate-answer.ts';
import { toInstant, toLineLabel, toStopName } from './names.ts';

type Event = 'a' | 'd';

/** HAFAS's only value for a measured time; the others are kinds of forecast. */
const MEASURED = 'REPORTED';

/**
 * Normalises a call. `stopSequence` stays null: HAFAS counts borders and junctions too.
 * @see decisions, section 5: any realtime time is a forecast, even a past one; only `REPORTED` is measured
 */
function toCallReport({ stop, stopover, raw, occupancy }: HafasCall): CallReport {
  return {
    stopSequence: null,
    stop: stop === null ? null : toStopName(stop),
    arrival: toReportedTime(raw, 'a', stopover.plannedArrival, stopover.arrival),
    departure: toReportedTime(raw, 'd', stopover.plannedDeparture, stopover.departure),
    state: toState(raw),
    scheduledPlatform: textOf(stopover.plannedDeparturePlatform) ?? textOf(stopover.plannedArrivalPlatform),
    platform: platformOf(raw, 'd') ?? platformOf(raw, 'a'),
    cancelledEvent: toCancelledEvent(raw),
    assignedStopId: null,
    ...(occupancy && { departureOccupancy: occupancy }),
  };
}

/** @param time the forecast, else the planned time; only the raw member distinguishes them */
function toReportedTime(
  raw: MgateObject,
  event: Event,
  planned: string | null,
  time: string | null,
): ReportedTime | null {
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

function toState(raw: MgateObject): CallReport['state'] {
  if (isCancelled(raw, 'a') && isCancelled(raw, 'd')) return 'skipped';
  return raw.isAdd === true ? 'unplanned' : 'normal';
}

/** HAFAS cancels arrival and departure separately; a board has one of them, and the other is unknown. */
function toCancelledEvent(raw: MgateObject): CallReport['cancelledEvent'] {
  const [isArrival, isDeparture] = [isCancelled(raw, 'a'), isCancelled(raw, 'd')];
  if (isArrival === isDeparture) return null;
  return isArrival ? 'arrival' : 'departure';
}

function isCancelled(raw: MgateObject, event: Event): boolean {
  return raw[`${event}Cncl`] === true;
}

/** The platform as currently announced; endpoints send a text or an object with one. */
function platformOf(raw: MgateObject, event: Event): string | null {
  if (isCancelled(raw, event)) return null;
  return textOf(raw[`${event}PlatfR`]) ?? textOf(objectOf(raw[`${event}PltfR`]).txt);
}

type Rule = Product | ((line: HafasLine) => Product);

/**
 * Endpoints use different product ids (`u-bahn`, `subway`, `regiona-train`). If no pattern matches, the mode decides;
 * if an endpoint has one product for all trains, the train category does.
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

/** The product as riders know it; null if the endpoint does not send the vehicle type. */
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

/** Statuses of trips added by realtime: none of them is in a timetable. */
const ADDED_STATUSES = ['A', 'S', 'R'];

/** @param zone IANA name of the endpoint's clock */
function toTripReport(datedTrip: HafasDatedTrip, zone: string): TripReport {
  const calls = datedTrip.calls.map(toCallReport);
  return {
    place: datedTrip.place,
    trip: toTripName(datedTrip, calls, zone),
    relationship: toRelationship(datedTrip),
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls,
    vehicleId: null,
    originName: datedTrip.originName ?? (datedTrip.isFromStart ? (calls[0]?.stop?.name ?? null) : null),
    isSpecial: datedTrip.status === 'S',
  };
}

function toTripName(datedTrip: HafasDatedTrip, calls: readonly CallReport[], zone: string): TripName {
  const startDate = datedTrip.startDate === null ? null : parseServiceDate(datedTrip.startDate);
  return {
    tripId: datedTrip.jid,
    routeId: null,
    directionId: null,
    startDate,
    startTime: datedTrip.isFromStart ? toStartTime(calls[0], startDate, zone) : null,
    lineLabel: toLineLabel(datedTrip.line?.name ?? null),
    product: datedTrip.line === null ? null : toProduct(datedTrip.line),
    operatorName: datedTrip.line?.operator?.name ?? null,
    headsign: datedTrip.direction,
  };
}

function toRelationship({ isCancelled, status }: HafasDatedTrip): TripRelationship {
  if (isCancelled) return 'cancelled';
  return status !== null && ADDED_STATUSES.includes(status) ? 'added' : 'scheduled';
}

function toStartTime(first: CallReport | undefined, date: ServiceDate | null, zone: string): ServiceTime | null {
  const start = first?.departure?.scheduledTime ?? null;
  return start === null || date === null ? null : ((start - serviceDayStart(date, zone)) as ServiceTime);
}

const DEGREES_PER_STEP = 360 / 32;

/**
 * A vehicle of the live map. HAFAS computes its position from the trip's times, so it is never reported as stopped, and
 * its id is that of the trip.
 * @param trip report of the same trip, which refers back to the vehicle
 */
function toVehicleReport(movement: HafasMovement, trip: TripReport, publishedAt: Instant | null): VehicleReport {
  return {
    place: movement.datedTrip.place,
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

function vehicleIdOf({ datedTrip }: HafasMovement): string {
  return datedTrip.jid ?? datedTrip.place;
}

/** From steps counter-clockwise from east to degrees clockwise from north. */
function toHeading(direction: number): number {
  return Math.round(90 - direction * DEGREES_PER_STEP + 360) % 360;
}

/** Endpoints import realtime about every minute; after this long without an import they are frozen. */
const FROZEN_AFTER_SECONDS = 900;

interface AnswerFacts {
  readonly sourceId: string;
  /** IANA name of the endpoint's clock. */
  readonly zone: string;
  readonly fetchedAt: Instant;
}

/**
 * Normalises the records of an answer.
 * `publishedAt` is when the endpoint last imported realtime, or its clock where that is absent. A timetable that is not
 * valid on the day of the answer is reported as `timetable_out_of_period`.
 */
export function normaliseHafas(records: HafasRecords, { sourceId, zone, fetchedAt }: AnswerFacts): SourceUpdate {
  const publishedAt = readPublishedAt(records);
  const onMap = records.movements.map((movement) => ({
    movement,
    trip: { ...toTripReport(movement.datedTrip, zone), vehicleId: vehicleIdOf(movement) },
  }));
  const trips = records.datedTrips.map((datedTrip) => toTripReport(datedTrip, zone));
  const problems = [...records.problems, ...findPeriodProblem(records, localDate(fetchedAt, zone))];
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen: publishedAt !== null && fetchedAt - publishedAt > FROZEN_AFTER_SECONDS,
    trips: [...trips, ...onMap.map(({ trip }) => trip)],
    vehicles: onMap.map(({ movement, trip }) => toVehicleReport(movement, trip, publishedAt)),
    alerts: toAlertReports(
      records.messages,
      records.datedTrips.map((datedTrip, index) => ({ datedTrip, trip: trips[index]!.trip })),
    ),
    recordCount: records.recordCount,
    problems: problems.map((problem) => ({ ...problem, source: sourceId })),
  };
}

function readPublishedAt({ updatedAt }: HafasRecords): Instant | null {
  return updatedAt.realtimeSeconds === null ? toInstant(updatedAt.serverTime) : (updatedAt.realtimeSeconds as Instant);
}

function findPeriodProblem({ timetable }: HafasRecords, today: string): Omit<RecordProblem, 'source'>[] {
  if (timetable === null) return [];
  const [begin, end] = [parseServiceDate(timetable.begin), parseServiceDate(timetable.end)];
  if (begin !== null && end !== null && begin <= today && today <= end) return [];
  const detail = `its timetable covers ${timetable.begin} to ${timetable.end}`;
  return [{ code: 'timetable_out_of_period', place: 'fpB, fpE', detail }];
}
