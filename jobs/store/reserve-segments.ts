import path from 'node:path';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { assertMayPublish } from '../../pipeline/effects/publication-guard.ts';
import { sortOut } from '../../pipeline/lake/observations/partition-files.ts';
import {
  findNewestHere,
  findReservation,
  noteReservation,
  OLDER_NUMBERS,
  type SegmentReservation,
  settleReservation,
} from '../../pipeline/lake/observations/segment-numbers.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { assertConditions } from '../../pipeline/scale-out/object-store/assert-conditions.ts';
import { readRemoteTree } from '../../pipeline/scale-out/object-store/commit-tree.ts';
import { readLocalTree } from '../../pipeline/scale-out/object-store/local-state.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { treeOfKey } from '../../pipeline/scale-out/object-store/tree-document.ts';

/** Two years of flushes, so that a poller that is not restarted keeps to its own numbers. */
const RESERVED_NUMBERS = 100_000;
/** Left free after what is known: machines of versions before December 2026 reserve nothing. A week of flushes. */
const GAP = OLDER_NUMBERS;
/** Each lost race lets another poller through. */
const MAX_ATTEMPTS = 20;

/** `segments/<source>.json` in the store. */
interface ReservedDocument {
  /** The first number that no machine has reserved. */
  readonly reserved: number;
}

/**
 * Reserves numbers for the observations that this machine writes of a source, unless its former reservation is the newest
 * one: then no other machine has polled the source since.
 * @param isNewBlock reserves in any case
 * @throws ExternalError `segments_busy`, retryable, when others reserve all the time; those of trees and stores
 */
export async function reserveSegments(
  context: StoreContext,
  source: SourceId,
  { isNewBlock = false } = {},
): Promise<void> {
  const block = await findOrReserve(context, source, isNewBlock);
  if (block !== 'own') await noteReservation(context.dataDir, source, block);
  await settleReservation(context.dataDir, source);
}

/** @returns `own` where the former reservation of this machine is the newest one */
async function findOrReserve(
  context: StoreContext,
  source: SourceId,
  isNewBlock: boolean,
): Promise<SegmentReservation | 'own'> {
  const { dataDir } = context;
  const here = await findNewestHere(dataDir, source);
  const stored = await findNewestStored(context, source);
  const own = isNewBlock ? null : await findReservation(dataDir, source);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { reserved, etag } = await readReserved(context, source);
    if (own?.reserved === reserved && stored <= here && here < reserved) return 'own';
    const base = Math.max(reserved, stored, here) + GAP;
    const block = { base, reserved: base + RESERVED_NUMBERS };
    if (await tryToReserve(context, source, block, etag)) return block;
  }
  throw new ExternalError('segments_busy', `others were reserving segments of ${source} all the time`, {
    isRetryable: true,
  });
}

/** Of all machines. The names in the trees suffice; no content is fetched. */
async function findNewestStored(context: StoreContext, source: SourceId): Promise<number> {
  const { store, dataDir, signal } = context;
  let newest = 0;
  for await (const { key, etag } of store.list(`trees/days/${source}/`, signal)) {
    const name = treeOfKey(key);
    if (name === null) continue;
    const local = await readLocalTree(dataDir, store, name);
    const { files } = etag === local.etag ? { files: local.remote } : await readRemoteTree(context, name, local);
    const observed = [...files.keys()].filter((file) => file.startsWith('lake/observations/'));
    newest = Math.max(newest, sortOut(observed.map((file) => path.posix.basename(file))).newest);
  }
  return newest;
}

/** @throws ExternalError `segments_damaged` */
async function readReserved({ store, signal }: StoreContext, source: SourceId) {
  const key = segmentsKey(source);
  const found = await store.get(key, null, signal);
  if (found === null || found === 'unchanged') return { reserved: 0, etag: null };
  const text = found.bytes.toString('utf8');
  const [, digits] = /^\{"reserved":(\d{1,15})\}\s*$/.exec(text) ?? [];
  if (digits !== undefined) return { reserved: Number(digits), etag: found.etag };
  const how = `restore an older version of ${key}`;
  throw new ExternalError(
    'segments_damaged',
    `${key} of the object store is damaged: it is ${text.slice(0, 100)}; ${how}`,
  );
}

/** @returns false when another machine was faster */
async function tryToReserve(
  context: StoreContext,
  source: SourceId,
  { reserved }: SegmentReservation,
  etag: string | null,
): Promise<boolean> {
  const { store, signal } = context;
  const content = Buffer.from(`${JSON.stringify({ reserved } satisfies ReservedDocument)}\n`);
  await assertConditions(context);
  await assertMayPublish();
  try {
    await store.put(segmentsKey(source), content, etag === null ? 'absent' : { etag }, signal);
    return true;
  } catch (error) {
    if (error instanceof ExternalError && error.code === 'write_lost') return false;
    throw error;
  }
}

function segmentsKey(source: SourceId): string {
  return `segments/${source}.json`;
}
