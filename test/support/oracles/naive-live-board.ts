import type { Product } from '../../../pipeline/model/product.ts';
import type { ExtraCall, NaiveCallReport, NaiveExtraReport, NaiveReports, NaiveTripReport } from './naive-reports.ts';
import { type NaiveEnds, type NaiveReport, type NaiveTimes, naiveTimes } from './naive-times.ts';
import { type NaiveKind, type NaiveTimetable, type NaiveTrip, plannedTime } from './naive-timetable.ts';

/**
 * An independent implementation of boards with realtime: scans all calls of all trips, and looks up the reports of
 * each. It uses neither snapshots nor indexes of late trips.
 */

export interface NaiveQuestion {
  readonly kind: NaiveKind;
  readonly stopId: string;
  readonly from: number;
  readonly to: number;
  /** Decides whether a forecast is fresh. */
  readonly instant: number;
  readonly lines: readonly string[] | null;
  readonly products: readonly Product[] | null;
  readonly otherStopId: string | null;
}

export interface NaiveRow {
  readonly scheduled: number;
  readonly realtime: number | null;
  readonly isCancelled: boolean;
  readonly line: string;
  /** Direction or origin. */
  readonly end: string;
  /** Platform that is shown; null for none. */
  readonly platform: string | null;
  readonly isMoved: boolean;
}

const LONGEST_DELAY = 2 * 86_400;

/** Rows in order of the shown times, then lines. */
export function listLiveRows(
  naive: NaiveTimetable,
  reports: NaiveReports,
  question: NaiveQuestion,
  products: Readonly<Record<string, Product>>,
): NaiveRow[] {
  const rows = [...listPlannedRows(naive, reports, question, products), ...listExtraRows(naive, reports, question)];
  return rows
    .filter((row) => shownTime(row) >= question.from && row.scheduled < question.to)
    .sort((a, b) => shownTime(a) - shownTime(b) || Buffer.compare(Buffer.from(a.line), Buffer.from(b.line)));
}

function shownTime({ scheduled, realtime }: NaiveRow): number {
  return realtime ?? scheduled;
}

function listPlannedRows(
  naive: NaiveTimetable,
  reports: NaiveReports,
  { kind, stopId, from, to, instant, lines, products, otherStopId }: NaiveQuestion,
  productOf: Readonly<Record<string, Product>>,
): NaiveRow[] {
  const rows: NaiveRow[] = [];
  // A stop's board shows the calls planned there, and those announced for its platform within the station.
  const parts = naive.listParts(stopId);
  for (const { call, plan, place } of naive.listVisits(kind, naive.stationOf(stopId), from - LONGEST_DELAY, to)) {
    const planned = naive.platformOf(plan.calls[place]!.stop_id!);
    const report = reports.trips.find(({ trip, day }) => trip === plan && day === call.day);
    // A skipped call has no platform.
    const reportedCall = report?.kind === 'scheduled' ? report.calls[place] : null;
    const announced = reportedCall && !reportedCall.isSkipped ? reportedCall.platform : null;
    const isHere = parts.includes(plan.calls[place]!.stop_id!);
    const isThere = announced !== null && announced !== planned && announced === naive.platformOf(stopId);
    if (!isHere && !isThere) continue;
    const stopIds = plan.calls.map((row) => row.stop_id!);
    if (!isWanted({ line: plan.line, product: productOf[plan.line]! }, { lines, products })) continue;
    if (reports.extras.some(({ replaces }) => replaces?.trip === plan && replaces.day === call.day)) continue;
    if (report?.kind === 'deleted') continue;
    const times = naivePlannedTimes(listPlanned(plan, call.day), report ?? null, reports.at, instant);
    const event = kind === 'departures' ? times[place]!.departure : times[place]!.arrival;
    const { isCancelled } = event;
    const { first, last } = findServed(times);
    const nameOf = (k: number) => naive.stops.get(stopIds[k]!)!.stop_name!;
    const other = kind === 'departures' ? 'arrival' : 'departure';
    const served = stopIds.map((id, k) => (times[k]![other].isCancelled && !isCancelled ? null : id));
    if (otherStopId !== null && !passes(served, place, kind, naive.listParts(otherStopId))) continue;
    const realtime = event.isLive && !isCancelled ? event.expected : null;
    const isMoved = announced !== null && planned !== null && announced !== planned;
    rows.push({
      scheduled: call.time,
      realtime,
      isCancelled,
      line: call.line,
      end:
        kind === 'departures' && last < stopIds.length - 1
          ? nameOf(last)
          : kind === 'arrivals' && first > 0
            ? nameOf(first)
            : call.end,
      platform: announced ?? planned,
      isMoved,
    });
  }
  return rows;
}

function listExtraRows(
  naive: NaiveTimetable,
  { at, extras }: NaiveReports,
  { kind, stopId, instant, lines, products, otherStopId }: NaiveQuestion,
): NaiveRow[] {
  const parts = naive.listParts(stopId);
  return extras.flatMap(({ name, line, product, calls: reported, replaces }) => {
    const calls: readonly ListedCall[] = replaces ? withLeftOut(naive, reported, replaces) : reported;
    if (!isWanted({ line, product }, { lines, products })) return [];
    const stopIds = calls.map((call) => call.stopId);
    const times = naiveExtraTimes(calls, at, instant);
    const { first, last } = findServed(times);
    const nameOf = (k: number) => (stopIds[k] === null ? 'Nirgends' : naive.stops.get(stopIds[k]!)!.stop_name!);
    return calls.flatMap(({ stopId: own, scheduled: leaves, arrives = leaves }, place): NaiveRow | [] => {
      const scheduled = kind === 'departures' ? leaves : arrives;
      const isEnd = place === (kind === 'departures' ? calls.length - 1 : 0);
      if (isEnd || own === null || !parts.includes(own)) return [];
      const event = kind === 'departures' ? times[place]!.departure : times[place]!.arrival;
      const other = kind === 'departures' ? 'arrival' : 'departure';
      const served = stopIds.map((id, k) => (times[k]![other].isCancelled && !event.isCancelled ? null : id));
      if (otherStopId !== null && !passes(served, place, kind, naive.listParts(otherStopId))) return [];
      const platform = naive.platformOf(own);
      return {
        scheduled,
        realtime: event.isLive && !event.isCancelled ? event.expected : null,
        isCancelled: event.isCancelled,
        line,
        end:
          kind === 'departures' && last < calls.length - 1
            ? nameOf(last)
            : kind === 'arrivals' && first > 0
              ? nameOf(first)
              : name,
        platform,
        isMoved: false,
      };
    });
  });
}

/** A call of an extra trip, or of the trip that it replaces; the latter may arrive before it departs. */
interface ListedCall extends ExtraCall {
  readonly arrives?: number;
}

/** Adds the calls of the replaced trip that its replacement lacks, each between its neighbours there. */
function withLeftOut(
  naive: NaiveTimetable,
  reported: readonly ExtraCall[],
  { trip, day }: NonNullable<NaiveExtraReport['replaces']>,
): readonly ListedCall[] {
  const places = alignCalls(naive, reported, trip, day);
  const all: { readonly call: ListedCall; readonly place: number }[] = reported.map((call, i) => ({
    call,
    place: places[i]!,
  }));
  trip.calls.forEach((row, place) => {
    if (places.includes(place)) return;
    const scheduled = plannedTime(trip, day, place, 'departure');
    const arrives = plannedTime(trip, day, place, 'arrival');
    const call = { stopId: row.stop_id!, scheduled, arrives, delay: null, isSkipped: true };
    const begin = all.findLastIndex((other) => other.place >= 0 && other.place < place) + 1;
    const isLater = (other: (typeof all)[number]) => other.place > place || other.call.scheduled > scheduled;
    const at = all.findIndex((other, i) => i >= begin && isLater(other));
    all.splice(at < 0 ? all.length : at, 0, { call, place });
  });
  return all.map(({ call }) => call);
}

/** Tries all alignments: as many calls as possible in planned order, then the closest times. */
function alignCalls(naive: NaiveTimetable, reported: readonly ExtraCall[], trip: NaiveTrip, day: number): number[] {
  let best = { places: [] as number[], count: -1, away: 0 };
  const tryFrom = (places: number[], from: number, count: number, away: number) => {
    const call = reported[places.length];
    if (!call) {
      if (count > best.count || (count === best.count && away < best.away)) best = { places, count, away };
      return;
    }
    for (let place = from; place < trip.calls.length; place++) {
      const stopId = trip.calls[place]!.stop_id!;
      if (call.stopId === null || naive.stationOf(stopId) !== naive.stationOf(call.stopId)) continue;
      const seconds = Math.abs(plannedTime(trip, day, place, 'departure') - call.scheduled);
      tryFrom([...places, place], place + 1, count + 1, away + seconds + (stopId === call.stopId ? 0 : 1));
    }
    tryFrom([...places, -1], from, count, away);
  };
  tryFrom([], 0, 0, 0);
  return best.places;
}

function isWanted(
  { line, product }: { readonly line: string; readonly product: Product },
  { lines, products }: Pick<NaiveQuestion, 'lines' | 'products'>,
): boolean {
  return (lines === null || lines.includes(line)) && (products === null || products.includes(product));
}

function passes(
  stopIds: readonly (string | null)[],
  place: number,
  kind: NaiveKind,
  parts: readonly string[],
): boolean {
  const rest = kind === 'departures' ? stopIds.slice(place + 1) : stopIds.slice(0, place);
  return rest.some((id) => id !== null && parts.includes(id));
}

/** The times of a planned trip, from its reports. */
export function naivePlannedTimes(
  planned: Parameters<typeof naiveTimes>[0],
  report: Pick<NaiveTripReport, 'kind' | 'calls'> | null,
  at: number,
  instant: number,
  ends?: NaiveEnds,
): NaiveTimes[] {
  const measured = new Set<number>();
  const calls = report ? withoutEarly(planned, report.calls, at) : [];
  const reports = planned.map((call, place): NaiveReport | null => {
    if (report?.kind === 'cancelled' || report?.kind === 'deleted')
      return { arrival: null, departure: null, isSkipped: true };
    const reportedCall = calls[place];
    if (!reportedCall) return null;
    const { isSkipped, isMeasured, arrivalDelay, departureDelay } = reportedCall;
    const time = (event: 'arrival' | 'departure', delay: number | null) => (delay === null ? [] : call[event] + delay);
    const times = [time('arrival', arrivalDelay), time('departure', departureDelay)].flat();
    const reported = (event: 'arrival' | 'departure', delay: number | null) => {
      const own = delay === null ? null : call[event] + delay;
      if (own === null || !isShown(own, times, isMeasured, at, instant)) return null;
      if (isMeasured && own <= at) measured.add(own);
      return delay;
    };
    return { isSkipped, arrival: reported('arrival', arrivalDelay), departure: reported('departure', departureDelay) };
  });
  return naiveTimes(planned, reports, (time) => measured.has(time), ends);
}

const MAX_EARLY_SECONDS = 600;

/**
 * Removes times that are more than ten minutes early, unless the vehicle was observed there, or the previous call with
 * a believed time is over.
 */
function withoutEarly(
  planned: Parameters<typeof naiveTimes>[0],
  calls: readonly (NaiveCallReport | null)[],
  at: number,
): (NaiveCallReport | null)[] {
  const believed: (NaiveCallReport | null)[] = [];
  const isPast = (place: number) => {
    for (let before = place - 1; before >= 0; before--) {
      const { arrivalDelay = null, departureDelay = null, isSkipped = false } = believed[before] ?? {};
      if (isSkipped) continue;
      if (departureDelay !== null) return planned[before]!.departure + departureDelay <= at;
      if (arrivalDelay !== null) return planned[before]!.arrival + arrivalDelay <= at;
    }
    return false;
  };
  calls.forEach((call, place) => {
    if (!call || call.isSkipped) {
      believed.push(call);
      return;
    }
    const isKept = (delay: number | null, isThere: boolean) =>
      delay === null || delay >= -MAX_EARLY_SECONDS || isThere || isPast(place);
    const arrivalDelay = isKept(call.arrivalDelay, false) ? call.arrivalDelay : null;
    const isThere = call.isMeasured && arrivalDelay !== null && planned[place]!.arrival + arrivalDelay <= at;
    const departureDelay = isKept(call.departureDelay, isThere) ? call.departureDelay : null;
    believed.push({ ...call, arrivalDelay, departureDelay });
  });
  return believed;
}

/** Position of the first and the last call that is served. */
function findServed(times: readonly NaiveTimes[]): { readonly first: number; readonly last: number } {
  const positions = times.map((_, k) => k);
  const last = positions.findLast((k) => k > 0 && !times[k]!.arrival.isCancelled) ?? times.length - 1;
  const first = positions.find((k) => k < times.length - 1 && !times[k]!.departure.isCancelled) ?? 0;
  // If the vehicle was observed to arrive, the trip began before, whatever is cancelled.
  return {
    first: times[first]!.arrival.isCancelled ? first : 0,
    last: times[last]!.departure.isCancelled ? last : times.length - 1,
  };
}

function listPlanned(plan: NaiveTrip, day: number): Parameters<typeof naiveTimes>[0] {
  return plan.calls.map((_, place) => ({
    arrival: plannedTime(plan, day, place, 'arrival'),
    departure: plannedTime(plan, day, place, 'departure'),
  }));
}

/** The times of a trip that is not in the timetable. */
export function naiveExtraTimes(calls: readonly ExtraCall[], at: number, instant: number): NaiveTimes[] {
  const planned = calls.map(({ scheduled }) => ({ arrival: scheduled, departure: scheduled }));
  const report = calls.map(({ delay, isSkipped }) => {
    return { isSkipped, isMeasured: false, arrivalDelay: delay, departureDelay: delay, platform: null };
  });
  const reports = withoutEarly(planned, report, at).map((call, place): NaiveReport => {
    const { isSkipped, arrivalDelay, departureDelay } = call!;
    const reported = (delay: number | null) => {
      const time = delay === null ? null : planned[place]!.arrival + delay;
      return time !== null && isShown(time, [time], false, at, instant) ? delay : null;
    };
    return { arrival: reported(arrivalDelay), departure: reported(departureDelay), isSkipped };
  });
  return naiveTimes(planned, reports, () => false);
}

const MAX_AGE_SECONDS = 300;

/** Measured times, and times that were past when they were reported, stay; a forecast expires after five minutes. */
function isShown(time: number, times: readonly number[], isMeasured: boolean, at: number, instant: number): boolean {
  return (isMeasured && time <= at) || Math.max(...times) <= at || instant <= at + MAX_AGE_SECONDS;
}
