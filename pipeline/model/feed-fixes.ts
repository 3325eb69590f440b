/**
 * Repairs that a timetable source may switch on, each for a fault of some publisher's feeds. Rows are changed before
 * staging checks them; the report of the feed counts the changed rows by the name of the fix.
 */
const feedFixes = {
  'parent-ids':
    'An id such as `Pat:49:1349`, of the station of `at:49:1349:0:1`, becomes `at:49:1349`, unless another stop has that id.',
  'train-numbers':
    'A train number in the `route_short_name` (RJX 162) also becomes the `trip_short_name` of its trips; a railway route without a `route_short_name` is named by the category of its trains.',
  'train-categories':
    'A railway route of the basic type 2 gets the extended type of its category: RJX, RJ, ICE; IC, EC, ECB, D; NJ, EN; REX, CJX, R; S; ICBus.',
  'corridor-names':
    'A `route_long_name` that lists the places of a whole corridor is dropped from railway routes that have a `route_short_name`.',
  'border-shapes':
    'A trip does not use a shape that ends more than 2 km before its first or last stop, as at a border.',
} as const satisfies Record<string, string>;

export type FeedFix = keyof typeof feedFixes;

export const feedFixNames = Object.keys(feedFixes) as readonly FeedFix[];

/** How the feeds of one source are repaired. */
export interface FeedRepairs {
  readonly fixes: readonly FeedFix[];
  /** Time zone of agencies that the feed lacks, or that have none; null: such a feed is refused. */
  readonly zone: string | null;
}

export const noRepairs: FeedRepairs = { fixes: [], zone: null };
