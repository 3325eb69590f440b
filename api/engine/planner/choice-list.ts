import { FOLD_ARRIVAL_SECONDS, folds, roundUp } from './pareto.ts';
import { compare, type Found, type Place, type Searched } from './searched.ts';
import { goBack, goOn, type Stretch } from './windows.ts';

/**
 * The choices of one query, as far as they have been searched: all that begin in `[from, to)`. The list grows on demand at
 * either end.
 *
 * A choice is folded where another one folds it that is itself shown. Whether that one is shown depends on choices that
 * leave later still, or need fewer transfers, so the question always ends. Its answer does not depend on the page: no page
 * repeats a choice or skips one.
 */
export interface ChoiceList {
  readonly searched: Searched;
  /** Sorted. */
  found: readonly Found[];
  from: number;
  to: number;
  /** By number of rides: the earliest ends for begins from `to` on; null before the first step. */
  endsBehind: readonly number[] | null;
  readonly on: Generator<Stretch, void>;
  readonly back: Generator<Stretch, void>;
  readonly known: Map<Found, boolean>;
}

/** @param from signed, the border of a minute */
export function openChoiceList(searched: Searched, from: number): ChoiceList {
  return {
    searched,
    found: [],
    from,
    to: from,
    endsBehind: null,
    on: goOn(searched, from),
    back: goBack(searched, from),
    known: new Map(),
  };
}

/** The first `wanted` choices that are shown, after a place and before a signed time, from the end of the list on. */
export function takeOn(list: ChoiceList, beyond: Place | null, before: number, wanted: number): Found[] {
  const taken: Found[] = [];
  for (let done = list.to; taken.length < wanted && done < before; ) {
    // Deciding whether a choice is folded may have searched further, and made the list longer.
    if (list.to === done) growOn(list);
    const { to } = list;
    for (const one of list.found.filter(({ begin }) => begin >= done && begin < Math.min(to, before))) {
      const isBeyond = beyond === null || compare(one, beyond) > 0;
      if (isBeyond && taken.length < wanted && isShown(list, one)) taken.push(one);
    }
    done = to;
  }
  return taken;
}

/** The last `wanted` choices that are shown, before a place and from a signed time on, back from the list's begin. */
export function takeBack(list: ChoiceList, beyond: Place | null, notBefore: number, wanted: number): Found[] {
  const taken: Found[] = [];
  for (let done = list.from; taken.length < wanted && done > notBefore; ) {
    if (list.from === done) growBack(list);
    const { from } = list;
    for (const one of list.found.filter(({ begin }) => begin < done && begin >= Math.max(from, notBefore)).reverse()) {
      const isBeyond = beyond === null || compare(one, beyond) < 0;
      if (isBeyond && taken.length < wanted && isShown(list, one)) taken.unshift(one);
    }
    done = from;
  }
  return taken;
}

function growOn(list: ChoiceList): void {
  const { to, inside, endsBehind } = list.on.next().value!;
  list.found = [...list.found, ...[...inside].sort(compare)];
  list.to = to;
  list.endsBehind = endsBehind;
}

function growBack(list: ChoiceList): void {
  const { from, inside, endsBehind } = list.back.next().value!;
  list.found = [...[...inside].sort(compare), ...list.found];
  list.from = from;
  list.endsBehind ??= endsBehind;
}

// ---- Folding -----------------------------------------------------------------------------------

function isShown(list: ChoiceList, one: Found): boolean {
  if (list.searched.asked.query.all) return true;
  const known = list.known.get(one);
  if (known !== undefined) return known;
  const isFolded = list.searched.sign > 0 ? isFoldedByLater(list, one) : isFoldedByBefore(list, one);
  list.known.set(one, !isFolded);
  return !isFolded;
}

/** By departure, those that fold a choice begin no earlier: the list grows while there may be one behind its end. */
function isFoldedByLater(list: ChoiceList, one: Found): boolean {
  const rides = one.itinerary.transfers + 1;
  for (;;) {
    if (isFoldedByKnown(list, one)) return true;
    if (list.endsBehind && roundUp(list.endsBehind[rides]!) > one.end + FOLD_ARRIVAL_SECONDS) return false;
    growOn(list);
  }
}

/** By arrival, those that fold a choice begin up to three minutes before it, back in time; none that is too late does. */
function isFoldedByBefore(list: ChoiceList, one: Found): boolean {
  const { time } = list.searched;
  const earliest = one.begin - FOLD_ARRIVAL_SECONDS;
  const from = one.begin >= time ? Math.max(earliest, time) : earliest;
  while (list.from > from) growBack(list);
  return isFoldedByKnown(list, one);
}

function isFoldedByKnown(list: ChoiceList, { itinerary: one }: Found): boolean {
  const { query } = list.searched.asked;
  return list.found.some((other) => folds(query, other.itinerary, one) && isShown(list, other));
}
