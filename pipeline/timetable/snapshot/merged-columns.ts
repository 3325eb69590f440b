import type { FeedColumns } from './read-feeds.ts';

/** The columns of all feeds, with duplicate stations and trips merged. */
export type MergedColumns = FeedColumns & {
  /** `station` is the merged one. */
  readonly stops: { readonly publishedStation: Int32Array };
  /** `service` excludes the days on which a trip is a duplicate. */
  readonly trips: { readonly publishedService: Int32Array };
};
