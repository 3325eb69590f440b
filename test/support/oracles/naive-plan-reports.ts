import type { Product } from '../../../pipeline/model/product.ts';
import type { NaivePlanFeed } from './naive-plan-feed.ts';
import { placeId } from './naive-plan-town.ts';
import type { ExtraCall, NaiveCallReport, NaiveExtraReport, NaiveReports, NaiveTripReport } from './naive-reports.ts';
import { seconds, startOfDay } from './naive-timetable.ts';

/** Reports of one service date, in short form. */
export interface Reports {
  /** Age in seconds; 0 if absent. */
  readonly age?: number;
  /** By trip: whether it is cancelled, or the reports of its calls by stop. */
  readonly trips?: Readonly<Record<string, 'cancelled' | 'deleted' | Readonly<Record<string, ReportedCallText>>>>;
  readonly extras?: readonly ReportedExtraText[];
}

/** Delay in seconds at arrival and departure; or each separately, null without a report. */
type ReportedCallText = 'skipped' | number | readonly [arrival: number | null, departure: number | null];

interface ReportedExtraText {
  readonly name: string;
  readonly line?: string;
  readonly product?: Product;
  /** The trip that it replaces. */
  readonly replaces?: string;
  /** `a 08:00`, `a 08:00 +60`, `a 08:00 skipped`; `- 08:00` at a stop that is not in the feed. */
  readonly calls: readonly string[];
}

/** @param town its number @param day service day, since 1970 */
export function readReports(
  feed: NaivePlanFeed,
  town: number,
  reported: Reports,
  day: number,
  instant: number,
): NaiveReports {
  const trips = Object.entries(reported.trips ?? {}).map(([id, report]): NaiveTripReport => {
    const trip = feed.tripById.get(placeId(id, town))!.naive;
    if (typeof report === 'string') return { trip, day, kind: report, calls: [] };
    const byStop = new Map(Object.entries(report).map(([stop, text]) => [placeId(stop, town), text]));
    const calls = trip.calls.map((row) => readCall(byStop.get(row.stop_id!)));
    return { trip, day, kind: 'scheduled', calls };
  });
  const extras = (reported.extras ?? []).map((extra) => readExtra(feed, town, extra, day));
  return { at: instant - (reported.age ?? 0), trips, extras };
}

function readCall(text: ReportedCallText | undefined): NaiveCallReport | null {
  if (text === undefined) return null;
  const isSkipped = text === 'skipped';
  const [arrivalDelay, departureDelay] = isSkipped ? [null, null] : typeof text === 'number' ? [text, text] : text;
  return { isSkipped, isMeasured: false, arrivalDelay, departureDelay, platform: null };
}

function readExtra(feed: NaivePlanFeed, town: number, extra: ReportedExtraText, day: number): NaiveExtraReport {
  const base = extra.replaces === undefined ? null : feed.tripById.get(placeId(extra.replaces, town))!.naive;
  const zone = feed.trips[0]!.naive.zone;
  const calls = extra.calls.map((text): ExtraCall => {
    const [stop, clock, state] = text.split(' ');
    return {
      stopId: stop === '-' ? null : placeId(stop!, town),
      scheduled: startOfDay(day, zone) + seconds(`${clock}:00`),
      delay: state === undefined || state === 'skipped' ? null : Number(state),
      isSkipped: state === 'skipped',
    };
  });
  const line = base?.line ?? extra.line ?? 'X';
  return { name: extra.name, line, product: extra.product ?? 'ship', replaces: base && { trip: base, day }, calls };
}
