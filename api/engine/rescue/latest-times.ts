import { IntList } from '../planner/int-list.ts';
import type { LowerBounds } from '../planner/lower-bounds.ts';
import { roundUp } from '../planner/pareto.ts';
import type { ProfileScope } from '../planner/profile-scope.ts';
import { runRounds } from '../planner/rounds.ts';
import { enterPlace, resetSearch } from '../planner/search.ts';

/**
 * How late one may be anywhere and still arrive by some minute. It bounds arrivals by the timetable of the day, where
 * the planner's lower bounds know minimum times alone: at night no trip goes on when nothing runs. As in Delling,
 * Dibbelt, Pajor, "Fast and Exact Public Transit Routing with Restricted Pareto Sets" (2019), for each minute of arrival.
 */
export interface LatestTimes {
  /**
   * Lower bound of the arrival when alighting at a place then, with this many rides left, exact to the minute as far as
   * the search has come; infinite beyond the limit. Not known for the vehicle of the start, which no way from where the
   * traveller can board leads to.
   */
  boundAlighting(place: number, time: number, rides: number): number;
  /** The same for a traveller who boards a vehicle there that departs then; that ride is one of those left. */
  boundBoarding(place: number, time: number, rides: number): number;
  /** All later arrivals have one bound, the second after it; infinite once the search has come to the limit. */
  searchedUntil(): number;
  /** Searches for later arrivals. The later they are, the larger is the part of the network that leads there. */
  extend(): void;
}

/** How far after the earliest arrival each part of the search goes; the last one goes to the limit. */
const PART_SECONDS = [300, 600, 1200, 2400, 3600];

/**
 * Searches from the destination back, from one minute on to the next later one (rRAPTOR).
 * @param back scope of the query against time, to where the traveller can board; its search serves no other purpose as
 * long as the bounds are extended
 * @param now no time before it is of use
 * @param earliest no way arrives earlier
 * @param limit the last instant
 */
export function findLatestTimes(back: ProfileScope, now: number, earliest: number, limit: number): LatestTimes {
  // Signed times fall from one instant to the next.
  resetSearch(back.search, back.task, 1 - now);
  const known = openKnownTimes(back);
  let parts = 0;
  let searched = Math.min(earliest - 1, limit);
  const extend = () => {
    const last = Math.min(limit, earliest + (PART_SECONDS[parts++] ?? Number.POSITIVE_INFINITY));
    while (searched < last) {
      const instant = Math.min(limit, roundUp(searched + 1));
      searchBack(back, instant);
      known.note(Math.max(earliest, searched + 1));
      searched = instant;
    }
  };
  extend();
  const searchedUntil = () => (searched < limit ? searched : Number.POSITIVE_INFINITY);
  return {
    boundAlighting: (place, time, rides) => known.bound('alighting', place, time, rides) ?? searchedUntil() + 1,
    boundBoarding: (place, time, rides) => known.bound('boarding', place, time, rides) ?? searchedUntil() + 1,
    searchedUntil,
    extend,
  };
}

function searchBack({ search, entries }: ProfileScope, instant: number): void {
  for (const { layer, place, seconds } of entries) enterPlace(search, layer, place, seconds - instant);
  runRounds(search);
}

// ---- Known times -------------------------------------------------------------------------------

/** Columns of an entry; the times are those of alighting by rides left, then those of boarding. */
const [BEFORE, ARRIVAL, TIMES] = [0, 1, 2];

/**
 * The signed latest times by place, one entry for each search that has changed them, each with the entry before it and
 * the lower bound of the arrivals that it adds.
 */
function openKnownTimes({ search: { labels }, task }: ProfileScope) {
  const { placeCount } = labels;
  const { maxRounds } = task;
  const width = maxRounds + 1;
  const entries = new IntList();
  const newest = new Int32Array(placeCount).fill(-1);
  const places = listPlaces(task.bounds);
  let stamp = labels.stamp;
  const add = (place: number, arrival: number) => {
    const entry = entries.length;
    entries.push(newest[place]!);
    entries.push(arrival);
    for (let rides = 0; rides < width; rides++) entries.push(labels.ready[rides * placeCount + place]!);
    for (let rides = 0; rides < width; rides++) entries.push(labels.reach[rides * placeCount + place]!);
    newest[place] = entry;
  };
  return {
    /** Adds the times that the last search has changed. @param arrival lower bound of the arrivals from these times on */
    note(arrival: number): void {
      const { markStamp, improvedStamp } = labels;
      for (const place of places) {
        if (markStamp[place]! >= stamp || improvedStamp[place]! >= stamp) add(place, arrival);
      }
      stamp = labels.stamp;
    },
    /** @returns null where no arrival is known that is late enough */
    bound(event: 'alighting' | 'boarding', place: number, time: number, rides: number): number | null {
      const column = TIMES + (event === 'boarding' ? width : 0) + Math.min(rides, maxRounds);
      let earliest: number | null = null;
      const { items } = entries;
      for (let at = newest[place]!; at >= 0 && time <= -items[at + column]!; at = items[at + BEFORE]!) {
        earliest = items[at + ARRIVAL]!;
      }
      return earliest;
    },
  };
}

/** Places from where the start is near enough for the whole search. */
function listPlaces({ leftSeconds, readySeconds, maxSeconds }: LowerBounds): Int32Array {
  const places = new IntList();
  for (let place = 0; place < leftSeconds.length; place++) {
    if (Math.min(leftSeconds[place]!, readySeconds[place]!) < maxSeconds) places.push(place);
  }
  return places.items.slice(0, places.length);
}
