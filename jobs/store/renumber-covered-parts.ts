import path from 'node:path';
import { listNames } from '../../pipeline/effects/files.ts';
import {
  listObservedDates,
  renumberPart,
  segmentOfPart,
  sortOut,
} from '../../pipeline/lake/observations/partition-files.ts';
import { numberInLake } from '../../pipeline/lake/observations/segment-numbers.ts';
import { observationPartition } from '../../pipeline/lake/paths.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { readRemoteTree } from '../../pipeline/scale-out/object-store/commit-tree.ts';
import { readLocalTree } from '../../pipeline/scale-out/object-store/local-state.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { findPlace } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { reserveSegments } from './reserve-segments.ts';

interface Part {
  readonly partition: string;
  readonly segment: number;
}

/**
 * Gives new numbers to observations that this machine has not published, where another one has compacted the day since:
 * under their own they would count as rows of the compacted file.
 * @throws ExternalError those of trees and stores
 */
export async function renumberCoveredParts(context: StoreContext, source: SourceId): Promise<void> {
  const { dataDir } = context;
  const covered: Part[] = [];
  for (const date of await listObservedDates(dataDir, source))
    covered.push(...(await listCovered(context, source, date)));
  if (covered.length === 0) return;
  // The numbers of the present reservation may be covered as well.
  await reserveSegments(context, source, { isNewBlock: true });
  const segments = covered.map(({ segment }) => segment);
  const numbers = await numberInLake(dataDir, source, segments);
  for (const { partition, segment } of covered) await renumberPart(partition, segment, numbers.get(segment)!);
}

async function listCovered(context: StoreContext, source: SourceId, date: ServiceDate): Promise<Part[]> {
  const { store, dataDir } = context;
  const partition = observationPartition(dataDir, source, date);
  const below = path.relative(dataDir, partition).split(path.sep).join('/');
  const parts = sortOut(await listNames(partition)).kept.filter((name) => segmentOfPart(name) !== null);
  const [first] = parts;
  const tree = first === undefined ? undefined : findPlace(`${below}/${first}`)?.tree;
  if (tree === undefined) return [];
  const local = await readLocalTree(dataDir, store, tree);
  const waiting = parts.filter((name) => !local.common.has(`${below}/${name}`));
  if (waiting.length === 0) return [];
  const { files } = await readRemoteTree(context, tree, local);
  const there = [...files.keys()].filter((file) => path.posix.dirname(file) === below);
  const names = new Set(there.map((file) => path.posix.basename(file)));
  const { covered } = sortOut([...new Set([...names, ...waiting])]);
  return waiting
    .filter((name) => covered.includes(name) && !names.has(name))
    .map((name) => ({ partition, segment: segmentOfPart(name)! }));
}
