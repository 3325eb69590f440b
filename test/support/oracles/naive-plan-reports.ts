import type { Product } from '../../../pipeline/model/product.ts';
import type { ExtraCall, Said, SaidCall, SaidExtra, SaidTrip } from './naive-live-board.ts';
import type { NaivePlanFeed } from './naive-plan-feed.ts';
import { placeId } from './naive-plan-town.ts';
import { seconds, startOfDay } from './naive-timetable.ts';

/** Reports of one day, in short form. */
export interface Reports {
  /** How long ago, in seconds; 0 where left out. */
  readonly age?: number;
  /** By trip: that it does not run; or by stop the report of the call there. */
  readonly trips?: Readonly<Record<string, 'cancelled' | 'deleted' | Readonly<Record<string, ReportedCallText>>>>;
  readonly extras?: readonly ReportedExtraText[];
}

/** Delay in seconds at arrival and departure; or each separately, null without a report. */
type ReportedCallText = 'skipped' | number | readonly [arrival: number | null, departure: number | null];

interface ReportedExtraText {
  readonly name: string;
  readonly line?: string;
  readonly product?: Product;
  /** The trip in whose place it runs. */
  readonly replaces?: string;
  /** `a 08:00`, `a 08:00 +60`, `a 08:00 skipped`; `- 08:00` at a stop that nobody knows. */
  readonly calls: readonly string[];
}

/** @param town its number, @param day service day, since 1970 */
export function readReports(feed: NaivePlanFeed, town: number, reported: Reports, day: number, instant: number): Said {
  const trips = Object.entries(reported.trips ?? {}).map(([id, words]): SaidTrip => {
    const trip = feed.tripById.get(placeId(id, town))!.naive;
    if (typeof words === 'string') return { trip, day, kind: words, calls: [] };
    const byStop = new Map(Object.entries(words).map(([stop, word]) => [placeId(stop, town), word]));
    const calls = trip.calls.map((row) => readCall(byStop.get(row.stop_id!)));
    return { trip, day, kind: 'scheduled', calls };
  });
  const extras = (reported.extras ?? []).map((extra) => readExtra(feed, town, extra, day));
  return { at: instant - (reported.age ?? 0), trips, extras };
}

function readCall(word: ReportedCallText | undefined): SaidCall | null {
  if (word === undefined) return null;
  const isSkipped = word === 'skipped';
  const [arrivalDelay, departureDelay] = isSkipped ? [null, null] : typeof word === 'number' ? [word, word] : word;
  return { isSkipped, isMeasured: false, arrivalDelay, departureDelay, platform: null };
}

function readExtra(feed: NaivePlanFeed, town: number, extra: ReportedExtraText, day: number): SaidExtra {
  const base = extra.replaces === undefined ? null : feed.tripById.get(placeId(extra.replaces, town))!.naive;
  const zone = feed.trips[0]!.naive.zone;
  const calls = extra.calls.map((text): ExtraCall => {
    const [stop, clock, word] = text.split(' ');
    return {
      stopId: stop === '-' ? null : placeId(stop!, town),
      scheduled: startOfDay(day, zone) + seconds(`${clock}:00`),
      delay: word === undefined || word === 'skipped' ? null : Number(word),
      isSkipped: word === 'skipped',
    };
  });
  const line = base?.line ?? extra.line ?? 'X';
  return { name: extra.name, line, product: extra.product ?? 'ship', replaces: base && { trip: base, day }, calls };
}
