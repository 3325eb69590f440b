import type { ServiceDate } from '../../model/service-time.ts';

/** The place of an archive among those that are imported at the same time. */
export interface ArchiveTurn {
  /** States the days that the archive will publish, before the first of them. */
  announce(days: Iterable<ServiceDate>): void;
  /** Resolves when no archive before it will publish the day any more. */
  waitFor(day: ServiceDate): Promise<void>;
  /** The archive publishes nothing more; also after a failure, or the archives behind it would wait for ever. */
  end(): void;
}

/** For an archive that is imported alone. */
export const ownTurn: ArchiveTurn = { announce: () => {}, waitFor: async () => {}, end: () => {} };

/**
 * Lets archives be imported at the same time with the result of one after the other: where several hold the same day,
 * the rows of a later one replace those of an earlier one, so they publish it in their order. The archives must begin in
 * this order.
 */
export function queueArchives(count: number): readonly ArchiveTurn[] {
  const places = Array.from({ length: count }, () => ({
    days: resolvable<ReadonlySet<ServiceDate>>(),
    ended: resolvable<void>(),
  }));
  return places.map(({ days, ended }, place) => ({
    announce: (all) => days.resolve(new Set(all)),
    async waitFor(day) {
      for (const before of places.slice(0, place)) {
        if ((await before.days.promise).has(day)) await before.ended.promise;
      }
    },
    end() {
      days.resolve(new Set());
      ended.resolve();
    },
  }));
}

function resolvable<Value>(): { readonly promise: Promise<Value>; resolve(value: Value): void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value) => resolve(value) };
}
