import type { FeedColumns } from './read-feeds.ts';

/** The columns of all feeds with stations and trips that are published more than once merged. */
export type MergedColumns = FeedColumns & {
  /** `station` is the merged one. */
  readonly stops: { readonly publishedStation: Int32Array };
  /** `service` is without the days on which a trip is a duplicate. */
  readonly trips: { readonly publishedService: Int32Array };
};
