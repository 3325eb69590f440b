import type { NaivePlanFeed, NaivePlanTrip, NaiveTransfer } from './naive-plan-feed.ts';
import { comparePoints, groupBy, startOfDay } from './naive-timetable.ts';

/** A dated trip of the timetable. */
export interface DatedTrip {
  readonly trip: NaivePlanTrip;
  /** Service day, since 1970. */
  readonly day: number;
}

/** The trips as which a vehicle continues with passengers on board: by a rule of type 4, or by its block. */
export function listStays(feed: NaivePlanFeed, { trip, day }: DatedTrip): DatedTrip[] {
  if (isRepeated(trip) || !trip.naive.days.has(day)) return [];
  return [...listNamedStays(feed, { trip, day }), ...listBlockStays(feed, { trip, day })];
}

function listNamedStays(feed: NaivePlanFeed, { trip, day }: DatedTrip): DatedTrip[] {
  const named = feed.transfers.filter(({ type, fromTrip }) => type === 4 && fromTrip === trip.naive.id);
  return named.flatMap((rule) => {
    const next = feed.tripById.get(rule.toTrip!)!;
    const isForbidden = hasRule(feed, 5, (other) => other.fromTrip === rule.fromTrip && other.toTrip === rule.toTrip);
    if (isForbidden || isRepeated(next)) return [];
    const beginsBefore = firstDeparture({ trip: next, day }) < lastArrival({ trip, day });
    const dated = { trip: next, day: beginsBefore ? day + 1 : day };
    return next.naive.days.has(dated.day) ? [dated] : [];
  });
}

function listBlockStays(feed: NaivePlanFeed, { trip, day }: DatedTrip): DatedTrip[] {
  const next = findNextOfBlock(feed, { trip, day });
  if (next === null) return [];
  const [from, to] = [trip.naive.id, next.naive.id];
  const isReportedElsewhere =
    hasRule(feed, 5, (rule) => rule.fromTrip === from && rule.toTrip === to) ||
    hasRule(feed, 4, (rule) => rule.fromTrip === from || rule.toTrip === to);
  const ends = feed.stops[trip.calls.at(-1)!.stop]!.station;
  const begins = feed.stops[next.calls[0]!.stop]!.station;
  if (isReportedElsewhere || ends !== begins) return [];
  return firstDeparture({ trip: next, day }) >= lastArrival({ trip, day }) ? [{ trip: next, day }] : [];
}

/** The next trip of the block on that day, wherever it begins. */
function findNextOfBlock(feed: NaivePlanFeed, { trip, day }: DatedTrip): NaivePlanTrip | null {
  const block = trip.naive.row.block_id;
  if (!block) return null;
  const running = listBlock(feed, block)
    .filter((other) => other.naive.days.has(day))
    .sort(
      (a, b) =>
        firstDeparture({ trip: a, day }) - firstDeparture({ trip: b, day }) || comparePoints(a.naive.id, b.naive.id),
    );
  return running[running.indexOf(trip) + 1] ?? null;
}

const blocks = new WeakMap<NaivePlanFeed, Map<string, NaivePlanTrip[]>>();

function listBlock(feed: NaivePlanFeed, block: string): readonly NaivePlanTrip[] {
  const known = blocks.get(feed) ?? groupBy(feed.trips, ({ naive }) => naive.row.block_id ?? '');
  blocks.set(feed, known);
  return known.get(block)!.filter((trip) => !isRepeated(trip));
}

function hasRule(feed: NaivePlanFeed, type: number, isIt: (rule: NaiveTransfer) => boolean): boolean {
  return feed.transfers.some((rule) => rule.type === type && isIt(rule));
}

/** Whether frequencies.txt repeats it. */
export function isRepeated({ naive }: NaivePlanTrip): boolean {
  return naive.runs[0]!.name !== naive.id;
}

function firstDeparture({ trip, day }: DatedTrip): number {
  return startOfDay(day, trip.naive.zone) + trip.calls[0]!.departure;
}

function lastArrival({ trip, day }: DatedTrip): number {
  return startOfDay(day, trip.naive.zone) + trip.calls.at(-1)!.arrival;
}
