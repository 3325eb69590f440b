import type { FeedRepairs } from '../../pipeline/model/feed-fixes.ts';

/** A state by its number in IFOPT ids: how many stations it has, how many of them for trains, and where. */
interface State {
  readonly number: number;
  readonly stations: number;
  readonly railStations: number;
  /** South, west, north, east in degrees. */
  readonly box: readonly [number, number, number, number];
}

/** As the publishers counted them in autumn 2026. */
export const states: readonly State[] = [
  { number: 41, stations: 1634, railStations: 44, box: [46.9, 16.1, 48.1, 17.1] },
  { number: 42, stations: 3419, railStations: 196, box: [46.4, 12.8, 47.1, 15] },
  { number: 43, stations: 8984, railStations: 450, box: [47.6, 14.6, 48.9, 16.9] },
  { number: 44, stations: 5828, railStations: 310, box: [47.5, 12.9, 48.7, 14.9] },
  { number: 45, stations: 2712, railStations: 130, box: [47, 12.2, 48, 13.9] },
  { number: 46, stations: 8996, railStations: 230, box: [46.7, 13.7, 47.7, 16.1] },
  { number: 47, stations: 3922, railStations: 231, box: [46.8, 10.2, 47.7, 12.7] },
  { number: 48, stations: 2140, railStations: 41, box: [46.9, 9.55, 47.6, 10.2] },
  { number: 49, stations: 1958, railStations: 52, box: [48.12, 16.2, 48.32, 16.55] },
];

/** One of the nine feeds, in an order in which neighbours follow each other; numbers of rows as published in September 2026. */
export interface FeedPlan {
  readonly id: string;
  /** States whose stations it publishes; empty: those of all trains. */
  readonly states: readonly number[];
  /** Rows of stop_times that differ from each other, and trips. */
  readonly stopTimes: number;
  readonly trips: number;
  /** Further rows that equal another one. */
  readonly copies: number;
  /** Trips with a further row that contradicts another one of the same stop_sequence. */
  readonly conflicts: number;
  /** Has on-demand service in three zones. */
  readonly isFlex: boolean;
  /** Names agencies that its agency.txt lacks. */
  readonly lacksAgencies: boolean;
  /** Publishes only some stations of its state, around one city. */
  readonly isCity: boolean;
  readonly repairs: FeedRepairs;
}

const association: Omit<FeedPlan, 'id' | 'states' | 'stopTimes' | 'trips'> = {
  copies: 0,
  conflicts: 0,
  isFlex: true,
  lacksAgencies: false,
  isCity: false,
  repairs: { fixes: ['parent-ids'], zone: null },
};
const zone = 'Europe/Vienna';

/** Which publisher has the copies is not known; with them, Carinthia has as many rows per trip as it was found to have. */
export const feedPlans: readonly FeedPlan[] = [
  {
    ...association,
    id: 'rail',
    states: [],
    stopTimes: 264_248,
    trips: 27_225,
    isFlex: false,
    repairs: {
      fixes: ['parent-ids', 'train-numbers', 'train-categories', 'corridor-names', 'border-shapes'],
      zone: null,
    },
  },
  { ...association, id: 'vor', states: [41, 43, 49], stopTimes: 1_770_766, trips: 97_731 },
  {
    ...association,
    id: 'steiermark',
    states: [46],
    stopTimes: 694_640,
    trips: 60_269,
    lacksAgencies: true,
    repairs: { ...association.repairs, zone },
  },
  {
    ...association,
    id: 'kaernten',
    states: [42],
    stopTimes: 270_025,
    trips: 20_323,
    copies: 1_632_701,
    conflicts: 3642,
    lacksAgencies: true,
    repairs: { ...association.repairs, zone },
  },
  { ...association, id: 'vorarlberg', states: [48], stopTimes: 276_129, trips: 14_803 },
  { ...association, id: 'tirol', states: [47], stopTimes: 423_743, trips: 20_180, isFlex: false },
  { ...association, id: 'salzburg', states: [45], stopTimes: 350_194, trips: 15_173 },
  { ...association, id: 'oberoesterreich', states: [44], stopTimes: 301_681, trips: 12_340, conflicts: 18 },
  { ...association, id: 'linz', states: [44], stopTimes: 127_477, trips: 6_721, isFlex: false, isCity: true },
];

/** The plan of a smaller country. */
export function shrinkPlan(plan: FeedPlan, share: number): FeedPlan {
  const shrink = (count: number) => Math.ceil(count * share);
  return {
    ...plan,
    stopTimes: shrink(plan.stopTimes),
    trips: shrink(plan.trips),
    copies: shrink(plan.copies),
    conflicts: shrink(plan.conflicts),
  };
}
