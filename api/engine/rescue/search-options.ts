import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PlanQuery } from '../planner/itinerary.ts';
import type { Planner } from '../planner/open-planner.ts';
import { findEnds } from '../planner/profile.ts';
import type { ProfileScope } from '../planner/profile-scope.ts';
import { SPAN_SECONDS } from '../planner/raptor-routes.ts';
import { openScope, openScopeBackTo } from '../planner/scope.ts';
import { PlanTimeout } from '../planner/search.ts';
import type { FindTransferChance } from '../predictions/transfer-chances.ts';
import type { Published } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import type { Priors } from './chances.ts';
import { findOptions } from './find-options.ts';
import { findLatestTimes } from './latest-times.ts';
import { findBefore, openExpectedEvents } from './option-plan.ts';
import type { FoundOption, Start } from './option-search.ts';
import { findDirectEnd, listAlightings, listEntries, openStart } from './start.ts';
import type { Traveller } from './traveller.ts';
import { collectUndominated, MOST_RISK_SECONDS, type Sufficient, WORSE_SECONDS } from './undominated.ts';

/** How far ahead the earliest arrival is looked for. */
const HORIZON_SECONDS = 24 * 3600;
/** How much further the next search looks when nothing likely was found. */
const FURTHER_SECONDS = 4 * 3600;

/** A question for options, all names resolved. */
export interface OptionQuestion {
  readonly published: Published;
  readonly planner: Planner;
  /** Decides which realtime is fresh. */
  readonly instant: Instant;
  /** Time of the request. */
  readonly now: Instant;
  /** From where the traveller is to the destination. */
  readonly query: PlanQuery;
  readonly traveller: Exclude<Traveller, { kind: 'arrived' }>;
  /** The traveller is at a known position, not where the previous leg ended. */
  readonly isElsewhere: boolean;
  /** null: all options are wanted. */
  readonly sufficient: SufficientOptions | null;
  readonly isSpent: () => boolean;
}

/** How many of the best options suffice, and which others are wanted; see `Sufficient`. */
export type SufficientOptions = Pick<Sufficient<FoundOption>, 'count' | 'preferred'>;

interface SearchedOptions {
  readonly scope: ProfileScope;
  /** The best first; times from the base of the routes. */
  readonly options: readonly FoundOption[];
}

/**
 * Finds the likely ways to the destination that no other dominates and that are hardly worse than the best of them. If
 * the time is used up, returns those found so far.
 * @throws PlanTimeout if none was found
 */
export function searchOptions(
  question: OptionQuestion,
  findChance: FindTransferChance,
  priors: Priors,
): SearchedOptions {
  const { published, planner, instant, now, query, traveller, isElsewhere, sufficient, isSpent } = question;
  const { timetable, realtime } = published;
  const request = { planner, realtime, instant, query, isSpent };
  const span = Math.floor(now / SPAN_SECONDS);
  const scope = openScope(request, 1, span);
  const start = openStart(timetable, scope, traveller, now - scope.task.raptorRoutes.base, isElsewhere);
  const horizon = start.now + HORIZON_SECONDS;
  const ways = openWays(timetable, scope, start, horizon);
  const earliest = findEarliest(scope, start.now, ways, horizon);
  const network = { timetable, places: scope.places, task: scope.task, maxRides: query.maxTransfers + 1 };
  const estimates = { findChance, priors, getExpectedEvent: openExpectedEvents(published, scope, instant) };
  let options: readonly FoundOption[] = [];
  // Where the earliest way of all is likely, the search is not repeated.
  let limit = earliest + MOST_RISK_SECONDS + WORSE_SECONDS;
  for (;;) {
    const found = collectUndominated(
      sufficient && toSufficient(sufficient, scope.task.raptorRoutes.base, network.maxRides),
    );
    try {
      const back = openScopeBackTo(request, span, ways.entries, limit - start.now);
      const latest = findLatestTimes(back, start.now, earliest, limit);
      findOptions({ ...network, latest, limit }, start, estimates, found, isSpent);
    } catch (error) {
      if (!(error instanceof PlanTimeout)) throw error;
      options = found.listBest().length > 0 ? found.listBest() : options;
      if (options.length === 0) throw error;
      return { scope, options };
    }
    options = found.listBest();
    if (found.latestArrival() <= limit || limit >= horizon) return { scope, options };
    limit = Math.min(found.latestArrival(), limit + FURTHER_SECONDS, horizon);
  }
}

/** @param base of the times of the search */
function toSufficient(
  { count, preferred }: SufficientOptions,
  base: number,
  maxTransfers: number,
): Sufficient<FoundOption> {
  const relative = preferred && { ...preferred, arrival: preferred.arrival - base };
  return { count, isSameRides, preferred: relative, maxTransfers };
}

/** Whether both are on the same vehicles, left at the same calls. */
function isSameRides({ last }: FoundOption, other: FoundOption): boolean {
  let [one, another] = [last, other.last];
  while (one && another) {
    const [ride, otherRide] = [one.ride, another.ride];
    const isSame =
      ride.route === otherRide.route && ride.index === otherRide.index && one.position === another.position;
    if (!isSame) return false;
    [one, another] = [findBefore(one), findBefore(another)];
  }
  return one === another;
}

/** The first steps from a start. */
interface Ways {
  /** The arrival without any further vehicle; `latest` if that is later. */
  readonly direct: number;
  readonly entries: ProfileScope['entries'];
}

function openWays(timetable: Timetable, scope: ProfileScope, start: Start, latest: number): Ways {
  const alightings = listAlightings(timetable, scope, start, latest);
  return {
    direct: Math.min(latest, findDirectEnd(scope, start, alightings)),
    entries: listEntries(scope, start, alightings),
  };
}

/** The earliest arrival by RAPTOR, whatever the chances. */
function findEarliest(scope: ProfileScope, now: number, { direct, entries }: Ways, latest: number): number {
  if (entries.length === 0) return direct;
  return Math.min(direct, findEnds({ ...scope, entries }, now, latest, scope.task.maxRounds).at(-1)!);
}
