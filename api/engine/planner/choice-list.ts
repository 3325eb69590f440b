import { type Choice, comparePositions, type DirectedQuery, type ListPosition } from './directed-query.ts';
import { FOLD_ARRIVAL_SECONDS, folds, roundUp } from './pareto.ts';
import { PlanTimeout } from './search.ts';
import { type ListProgress, type SearchedWindow, searchBackward, searchForward } from './windows.ts';

/**
 * The choices of one query that have been found so far: all that begin in `[from, to)`. The list grows on demand at
 * either end.
 *
 * A choice is hidden ("folded") if a choice that is shown makes it hardly worth showing (see `folds` in pareto.ts).
 * Whether that other choice is shown depends only on choices that leave later or need fewer transfers, so the recursion
 * ends. The result does not depend on the page: no page repeats or skips a choice.
 */
interface ChoiceList {
  readonly directedQuery: DirectedQuery;
  /** Sorted. */
  found: readonly Choice[];
  from: number;
  to: number;
  /** By number of rides: the earliest ends of searches that begin at `to` or later; `null` before the first step. */
  endsAfterWindow: readonly number[] | null;
  readonly on: Generator<SearchedWindow, void>;
  readonly back: Generator<SearchedWindow, void>;
  readonly progress: ListProgress;
  readonly known: Map<Choice, boolean>;
}

/** @param from signed, the start of a minute */
export function openChoiceList(directedQuery: DirectedQuery, from: number): ChoiceList {
  const progress: ListProgress = { wanted: 0, taken: 0, before: Number.POSITIVE_INFINITY };
  return {
    directedQuery,
    found: [],
    from,
    to: from,
    endsAfterWindow: null,
    on: searchForward(directedQuery, from, progress),
    back: searchBackward(directedQuery, from, progress),
    progress,
    known: new Map(),
  };
}

/** Choices in list order. */
export interface TakenChoices {
  readonly choices: readonly Choice[];
  /** Whether time ran out, so that more choices may follow the last one taken. */
  readonly isCut: boolean;
}

/** Share of the time limit in which a page that has some choices is filled; the rest is for choosing itineraries. */
const FILL_SHARE = 0.7;

/**
 * Runs a search for further choices until it is complete or its time is up.
 * @param taken receives the choices
 * @throws PlanTimeout if there is nothing to show by then
 */
function takeInTime({ directedQuery: { request } }: ChoiceList, taken: Choice[], search: () => void): TakenChoices {
  const { timeLimit } = request;
  try {
    timeLimit.getShare = () => (taken.length > 0 ? FILL_SHARE : 1);
    search();
    return { choices: taken, isCut: false };
  } catch (error) {
    if (!(error instanceof PlanTimeout) || taken.length === 0) throw error;
    return { choices: taken, isCut: true };
  } finally {
    timeLimit.getShare = () => 1;
  }
}

/**
 * Returns the first `wanted` shown choices after a list position and before a signed time, searching onward from
 * `list.to`.
 */
export function takeForward(
  list: ChoiceList,
  beyond: ListPosition | null,
  before: number,
  wanted: number,
): TakenChoices {
  const taken: Choice[] = [];
  return takeInTime(list, taken, () => {
    for (let done = list.to; taken.length < wanted && done < before; ) {
      Object.assign(list.progress, { wanted, taken: taken.length, before });
      // `isShown` may have extended the list.
      if (list.to === done) extendForward(list);
      const { to } = list;
      for (const one of list.found.filter(({ begin }) => begin >= done && begin < Math.min(to, before))) {
        const isBeyond = beyond === null || comparePositions(one, beyond) > 0;
        if (isBeyond && taken.length < wanted && isShown(list, one)) taken.push(one);
      }
      done = to;
    }
  });
}

/**
 * Returns the last `wanted` shown choices before a list position and from a signed time on, searching backward from
 * `list.from`.
 */
export function takeBackward(
  list: ChoiceList,
  beyond: ListPosition | null,
  notBefore: number,
  wanted: number,
): TakenChoices {
  const taken: Choice[] = [];
  return takeInTime(list, taken, () => {
    for (let done = list.from; taken.length < wanted && done > notBefore; ) {
      Object.assign(list.progress, { wanted, taken: taken.length });
      if (list.from === done) extendBackward(list);
      const { from } = list;
      for (const one of list.found
        .filter(({ begin }) => begin < done && begin >= Math.max(from, notBefore))
        .reverse()) {
        const isBeyond = beyond === null || comparePositions(one, beyond) < 0;
        if (isBeyond && taken.length < wanted && isShown(list, one)) taken.unshift(one);
      }
      done = from;
    }
  });
}

function checkTime({ directedQuery }: ChoiceList): void {
  if (directedQuery.request.isSpent()) throw new PlanTimeout();
}

function extendForward(list: ChoiceList): void {
  checkTime(list);
  const { to, choices, endsAfterWindow } = list.on.next().value!;
  list.found = [...list.found, ...[...choices].sort(comparePositions)];
  list.to = to;
  list.endsAfterWindow = endsAfterWindow;
}

function extendBackward(list: ChoiceList): void {
  checkTime(list);
  const { from, choices, endsAfterWindow } = list.back.next().value!;
  list.found = [...[...choices].sort(comparePositions), ...list.found];
  list.from = from;
  list.endsAfterWindow ??= endsAfterWindow;
}

// ---- Folding -----------------------------------------------------------------------------------

function isShown(list: ChoiceList, one: Choice): boolean {
  if (list.directedQuery.request.query.all) return true;
  const known = list.known.get(one);
  if (known !== undefined) return known;
  const isFolded = list.directedQuery.sign > 0 ? isFoldedByLater(list, one) : isFoldedByBefore(list, one);
  list.known.set(one, !isFolded);
  return !isFolded;
}

/**
 * For a query by departure, only choices that begin at the same time or later can fold this one. Extends the list as
 * long as such a choice may still follow.
 */
function isFoldedByLater(list: ChoiceList, one: Choice): boolean {
  const rides = one.itinerary.transfers + 1;
  for (;;) {
    if (isFoldedByKnown(list, one)) return true;
    if (list.endsAfterWindow && roundUp(list.endsAfterWindow[rides]!) > one.end + FOLD_ARRIVAL_SECONDS) return false;
    extendForward(list);
  }
}

/**
 * For a query by arrival, a choice that folds this one begins at most three minutes before it in the direction of
 * search. A choice that arrives too late for the query folds none that arrives in time.
 */
function isFoldedByBefore(list: ChoiceList, one: Choice): boolean {
  const { time } = list.directedQuery;
  const earliest = one.begin - FOLD_ARRIVAL_SECONDS;
  const from = one.begin >= time ? Math.max(earliest, time) : earliest;
  while (list.from > from) extendBackward(list);
  return isFoldedByKnown(list, one);
}

function isFoldedByKnown(list: ChoiceList, { itinerary: one }: Choice): boolean {
  const { query } = list.directedQuery.request;
  return list.found.some((other) => folds(query, other.itinerary, one) && isShown(list, other));
}
