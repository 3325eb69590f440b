import type { Product } from '../../model/product.ts';
import type { CallReport, ReportedTime, TripName, TripReport } from '../../model/realtime.ts';
import { parseServiceDate } from '../../model/service-time.ts';
import { addProblem, readStop, readTime, readValue, type TriasContext } from './answer-context.ts';
import type { RawCall, RawTimes, RawTrip } from './raw-answer.ts';

/** Submodes that are more specific than the mode; less specific ones of rail are left to the line's name. */
const bySubmode: Readonly<Record<string, Product>> = {
  suburbanRailway: 'sBahn',
  urbanRailway: 'sBahn',
  highSpeedRail: 'train',
  highSpeedRailService: 'train',
  longDistance: 'train',
  longDistanceTrain: 'train',
  interRegionalRail: 'train',
  interRegionalRailService: 'train',
  international: 'train',
  internationalRail: 'train',
  nightRail: 'train',
  nightTrain: 'train',
  sleeperRailService: 'train',
  carTransportRailService: 'train',
  localBus: 'cityBus',
  regionalBus: 'regionalBus',
  expressBus: 'regionalBus',
  postBus: 'regionalBus',
  railReplacementBus: 'regionalBus',
  nightBus: 'nightBus',
};

const byMode: Readonly<Record<string, Product | ((line: string) => Product)>> = {
  rail: railProduct,
  railwayService: railProduct,
  trainService: railProduct,
  intercityRail: 'train',
  urbanRail: 'sBahn',
  suburbanRail: 'sBahn',
  metro: 'subway',
  underground: 'subway',
  tram: 'tram',
  bus: busProduct,
  trolleyBus: 'cityBus',
  coach: 'regionalBus',
  water: 'ship',
  cableway: 'cableway',
  telecabin: 'cableway',
  funicular: 'cableway',
  lift: 'cableway',
  air: 'other',
  taxi: 'other',
};

/**
 * @param line as riders know it; decides if mode and submode only say "rail" or "bus"
 * @returns null without a known mode
 * @see SIRI 2.0, modes of transport; VDV 431-2, ModeStructure
 */
export function toProduct(
  { ptMode, submode }: Pick<RawTrip, 'ptMode' | 'submode'>,
  line: string | null,
): Product | null {
  if (submode !== null && Object.hasOwn(bySubmode, submode)) return bySubmode[submode]!;
  if (ptMode === null || !Object.hasOwn(byMode, ptMode)) return null;
  const product = byMode[ptMode]!;
  if (typeof product !== 'function') return product;
  if (product === railProduct && submode === 'regionalRail') return isSBahn(line ?? '') ? 'sBahn' : 'regionalTrain';
  return product(line ?? '');
}

/** S1, S 80, S-Bahn: Austrian, German and Swiss suburban lines. */
function isSBahn(line: string): boolean {
  return /^S ?-?\d|^S-Bahn/i.test(line);
}

function railProduct(line: string): Product {
  if (isSBahn(line)) return 'sBahn';
  return /^(?:R|REX|RE|RB|CJX|RS|ER|IRE|MEX|DR)\s?\d*$/i.test(line) ? 'regionalTrain' : 'train';
}

/** Night lines start with N and a number; Austrian regional lines have three digits and more, city lines fewer. */
function busProduct(line: string): Product {
  if (/^N ?\d/i.test(line)) return 'nightBus';
  return /\d{3}/.test(line) ? 'regionalBus' : 'cityBus';
}

/**
 * A dated trip with the calls that the answer contains, whether requested by stop or by connection.
 * @returns null, and a problem, when none of its calls can be read
 */
export function toTripReport(raw: RawTrip, context: TriasContext): TripReport | null {
  const calls = raw.calls.flatMap((call, index) => toCallReport(call, `${raw.place} call ${index + 1}`, context) ?? []);
  if (calls.length === 0) {
    addProblem(context, 'trip_without_calls', raw.place, 'left out');
    return null;
  }
  return {
    place: raw.place,
    trip: toTripName(raw, context),
    // A trip that was added and later cancelled does not run.
    relationship: raw.isCancelled ? 'cancelled' : raw.isUnplanned ? 'added' : 'scheduled',
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls,
    vehicleId: null,
    originName: readValue(context, raw.originText),
    isSpecial: raw.submode === 'specialTrain' || raw.submode === 'specialCoach',
  };
}

export function toTripName(raw: RawTrip, context: TriasContext): TripName {
  const lineLabel = toLineLabel(raw);
  const startDate = raw.operatingDayRef === null ? null : parseServiceDate(raw.operatingDayRef.slice(0, 10));
  if (raw.operatingDayRef !== null && !startDate)
    addProblem(context, 'bad_date', raw.place, raw.operatingDayRef.slice(0, 60));
  return {
    tripId: readValue(context, raw.journeyRef),
    routeId: readValue(context, raw.lineRef),
    // Outward and return are the publisher's terms; which one is direction 0 in a timetable is unknown.
    directionId: null,
    startDate,
    startTime: null,
    lineLabel,
    product: toProduct(raw, lineLabel),
    operatorName: readValue(context, raw.operatorName),
    headsign: readValue(context, raw.destinationText),
  };
}

/** The line as shown on the vehicle: `1` for `Straßenbahn 1`, which begins with the vehicle type. */
export function toLineLabel({ lineName, modeName }: RawTrip): string | null {
  if (lineName === null || modeName === null || !lineName.startsWith(`${modeName} `)) return lineName;
  return lineName.slice(modeName.length).trim() || lineName;
}

function toCallReport(raw: RawCall, place: string, context: TriasContext): CallReport | null {
  const stop = readStop(context, raw.stopPointRef, raw.stopPointName);
  if (!stop) {
    addProblem(context, 'call_without_stop', place, 'left out');
    return null;
  }
  return {
    // Numbers count from the first call of the answer or of the trip; they are not those of stop_times.txt.
    stopSequence: null,
    stop,
    arrival: toReportedTime(raw.arrival, `${place} arrival`, context),
    departure: toReportedTime(raw.departure, `${place} departure`, context),
    state: raw.isNotServiced ? 'skipped' : raw.isUnplanned ? 'unplanned' : 'normal',
    scheduledPlatform: toPlatform(raw.plannedBay),
    platform: toPlatform(raw.estimatedBay),
    cancelledEvent: null,
    assignedStopId: null,
  };
}

/**
 * An observed time counts as measured unless it is later than the answer; a forecast stays a forecast, even in the
 * past.
 * @see decisions, section 5
 */
function toReportedTime(raw: RawTimes | null, place: string, context: TriasContext): ReportedTime | null {
  if (!raw) return null;
  const scheduledTime = readTime(context, raw.timetabledTime, place);
  const estimatedTime = readTime(context, raw.estimatedTime, place);
  const observedTime = readTime(context, raw.observedTime, place);
  const isMeasured = observedTime !== null && observedTime <= context.knownAt;
  if (observedTime !== null && !isMeasured) addProblem(context, 'observed_in_future', place, raw.observedTime!);
  const time = isMeasured ? observedTime : estimatedTime;
  if (scheduledTime === null && time === null) return null;
  return { scheduledTime, time, delaySeconds: null, isMeasured };
}

/** `1` for `Gleis 1`: timetables have the number alone. */
function toPlatform(bay: string | null): string | null {
  return bay === null ? null : bay.replace(/^(?:Gleis|Bahnsteig|Bussteig|Steig|Bstg\.?|Gl\.?)\s+(?=\S)/i, '');
}
