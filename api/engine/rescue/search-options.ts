import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PlanQuery } from '../planner/itinerary.ts';
import { SPAN_SECONDS } from '../planner/lanes.ts';
import type { Planner } from '../planner/open-planner.ts';
import { findEnds, type ProfileScope } from '../planner/profile.ts';
import { openScope } from '../planner/scope.ts';
import type { Published } from '../read/realtime.ts';
import type { RideNetwork } from './boardings.ts';
import { type EstimateChange, toStep, UNKNOWN } from './chances.ts';
import { type FoundOption, findOptions, type Start } from './find-options.ts';
import { openForesight } from './option-plan.ts';
import { findDirectEnd, listEntries, openStart } from './start.ts';
import type { Traveller } from './traveller.ts';

/** Options that arrive this much later than the earliest one are not offered. */
export const WINDOW_SECONDS = 5400;
/** Options that are known to work less often than one time in five are not offered. */
const MIN_PROBABILITY = 0.2;
/** How far ahead the earliest arrival is looked for. */
const HORIZON_SECONDS = 24 * 3600;
/** How much later than the earliest way of all a likely one usually is: a search that looks this far is not repeated. */
const FIRST_SPARE_SECONDS = 1800;

/** A question for options, all names resolved. */
export interface OptionQuestion {
  readonly published: Published;
  readonly planner: Planner;
  /** Decides which realtime is fresh. */
  readonly moment: Instant;
  /** When the traveller asks. */
  readonly now: Instant;
  /** From where the traveller is to the destination. */
  readonly query: PlanQuery;
  readonly traveller: Exclude<Traveller, { kind: 'arrived' }>;
  /** The traveller is at a position of his own, not where the previous leg has ended. */
  readonly isElsewhere: boolean;
  readonly isSpent: () => boolean;
}

export interface SearchedOptions {
  readonly scope: ProfileScope;
  /** Unordered; times from the base of the lanes. */
  readonly options: readonly FoundOption[];
}

/**
 * All likely ways to the destination that no other dominates, and that arrive within `WINDOW_SECONDS` after the
 * earliest of them.
 * @throws PlanTimeout
 */
export function searchOptions(question: OptionQuestion, estimate: EstimateChange): SearchedOptions {
  const { published, planner, moment, now, query, traveller, isElsewhere, isSpent } = question;
  const { timetable, realtime } = published;
  const scope = openScope({ planner, realtime, moment, query, isSpent }, 1, Math.floor(now / SPAN_SECONDS));
  const start = openStart(timetable, scope, traveller, now - scope.task.lanes.base, isElsewhere);
  const network = { timetable, places: scope.places, task: scope.task, maxRides: query.maxTransfers + 1 };
  const foresee = openForesight(published, scope, moment);
  const search = (limit: number) =>
    findOptions({ ...network, limit } satisfies RideNetwork, start, estimate, foresee, isSpent).filter(isLikely);
  const limit = findEarliest(scope, start) + WINDOW_SECONDS + FIRST_SPARE_SECONDS;
  const options = search(limit);
  const end = Math.min(...options.map(({ arrival }) => arrival)) + WINDOW_SECONDS;
  const all = end > limit && Number.isFinite(end) ? search(end) : options;
  return { scope, options: all.filter(({ arrival }) => arrival <= end) };
}

function isLikely({ chance: { grade } }: FoundOption): boolean {
  return grade === UNKNOWN || toStep(grade) >= toStep(MIN_PROBABILITY);
}

/** The earliest arrival by RAPTOR, whatever the chances. */
function findEarliest(scope: ProfileScope, start: Start): number {
  const latest = start.now + HORIZON_SECONDS;
  const direct = Math.min(latest, findDirectEnd(scope, start));
  const entries = listEntries(scope, start);
  if (entries.length === 0) return direct;
  return Math.min(direct, findEnds({ ...scope, entries }, start.now, latest).at(-1)!);
}
