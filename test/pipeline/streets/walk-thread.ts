import { parentPort, workerData } from 'node:worker_threads';
import { joinWalkRouter, type SharedStreets } from '../../../pipeline/streets/open-walk-router.ts';
import type { Point } from '../../../pipeline/streets/walk-router.ts';

export interface ThreadInput {
  readonly streets: SharedStreets;
  readonly from: Point;
  readonly to: readonly Point[];
  readonly profile: 'foot' | 'wheelchair';
  readonly rounds: number;
}

// A thread that walks over the streets of the main thread, and reports its results of each round.
const { streets, from, to, profile, rounds } = workerData as ThreadInput;
const walks = joinWalkRouter(streets);
const found = await Promise.all(
  Array.from({ length: rounds }, async () => {
    const paths = await Promise.all(to.map((place) => walks.findPath(from, place, profile, 'de')));
    return { measured: await walks.measure(from, to, profile, 5000), paths };
  }),
);
parentPort!.postMessage({ id: walks.id, found });
