import type { Product } from '../../../pipeline/model/product.ts';
import type { NaivePlanFeed, NaivePlanTrip } from '../oracles/naive-plan-feed.ts';
import { isRepeated } from '../oracles/naive-plan-stays.ts';
import type {
  ExtraCall,
  NaiveCallReport,
  NaiveExtraReport,
  NaiveReports,
  NaiveTripReport,
} from '../oracles/naive-reports.ts';
import { plannedTime } from '../oracles/naive-timetable.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/**
 * A city on a bad day: most trips are some minutes late, some so much that others overtake them, some are early; some
 * are cancelled or skip stops; others are added. All trips that are under way within some hours are reported.
 */
export function reportCity(feed: NaivePlanFeed, instant: number, seed: number): NaiveReports {
  const chance = createChance(seed);
  const today = Math.floor(instant / DAY);
  const dated = [today - 1, today].flatMap((day) =>
    feed.trips
      .filter((trip) => !isRepeated(trip) && trip.naive.days.has(day))
      .filter(({ naive }) => {
        const begin = plannedTime(naive, day, 0, 'departure');
        return begin > instant - 2 * HOUR && begin < instant + 4 * HOUR;
      })
      .map((trip) => ({ trip, day })),
  );
  const trips: NaiveTripReport[] = [];
  const extras: NaiveExtraReport[] = [];
  for (const { trip, day } of dated) {
    const draw = chance();
    if (draw < 0.02) trips.push({ trip: trip.naive, day, kind: draw < 0.015 ? 'cancelled' : 'deleted', calls: [] });
    else if (draw < 0.03) extras.push(addAnother(feed, trip, day, `x${extras.length}`, chance));
    else if (draw < 0.035)
      extras.push({ ...addAnother(feed, trip, day, `x${extras.length}`, chance), replaces: { trip: trip.naive, day } });
    else if (draw < 0.7) trips.push({ trip: trip.naive, day, kind: 'scheduled', calls: reportCallsOf(trip, chance) });
  }
  return { at: instant, trips, extras };
}

function reportCallsOf({ calls }: NaivePlanTrip, chance: () => number): (NaiveCallReport | null)[] {
  const skips = chance() < 0.15;
  let delay = Math.round((chance() < 0.15 ? 2400 : 400) * chance()) - 90;
  const first = chance() < 0.2 ? Math.floor(chance() * calls.length) : 0;
  return calls.map((_, place) => {
    delay += Math.round((chance() - 0.5) * 120);
    if (place < first) return null;
    const isSkipped = skips && chance() < 0.2;
    const own = isSkipped ? null : delay;
    return {
      isSkipped,
      isMeasured: false,
      arrivalDelay: own,
      departureDelay: chance() < 0.1 ? null : own,
      platform: null,
    };
  });
}

/** Adds a trip with some or all stops of a planned one, at other times. */
function addAnother(
  feed: NaivePlanFeed,
  trip: NaivePlanTrip,
  day: number,
  name: string,
  chance: () => number,
): NaiveExtraReport {
  const shift = Math.round((chance() - 0.3) * 1800);
  const calls = trip.calls.flatMap(({ stop }, place): ExtraCall | [] => {
    if (chance() < 0.2 && trip.calls.length - place > 3) return [];
    const scheduled = plannedTime(trip.naive, day, place, 'departure') + shift;
    const delay = chance() < 0.5 ? Math.round(chance() * 600) : null;
    return { stopId: feed.stops[stop]!.id, scheduled, delay, isSkipped: chance() < 0.03 };
  });
  const product = feed.productOf(trip.routeId) as Product;
  return { name, line: trip.naive.line, product, replaces: null, calls };
}

/**
 * Numbers in [0, 1), the same for the same seed: a linear congruential generator with the constants of Numerical
 * Recipes.
 */
function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
