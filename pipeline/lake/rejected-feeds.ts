import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { findJson, isThere, listNames, writeJsonAtomically } from '../effects/files.ts';
import { hashFile } from '../effects/hash-file.ts';
import { isSourceId, type SourceId } from '../model/ids.ts';

/** A body that was fetched as a feed and rejected. */
export interface RejectedFeed {
  readonly source: SourceId;
  /** Path or URL, without credentials. */
  readonly location: string;
  /** Stable code and one sentence. */
  readonly code: string;
  readonly reason: string;
  /** First and last time that this body was fetched; ISO 8601 UTC. */
  readonly firstFetchedAt: string;
  readonly fetchedAt: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether all of it was received: the transfer of a body that cannot be a feed ends early. */
  readonly isWhole: boolean;
  /** Path below the data folder; null for a body that was dropped, as the budget demands. */
  readonly file: string | null;
}

/** Descriptions are kept for this many bodies of a source, whether or not the bodies are. */
const MAX_LISTED = 10;

/**
 * Moves a rejected body aside, where no job reads it, and drops the oldest ones until all of them fit into the budget.
 * @param file it is gone afterwards
 * @param maxBytes of the bodies of all sources together; 0 keeps none
 */
export async function storeRejectedFeed(
  dataDir: string,
  file: string,
  about: Pick<RejectedFeed, 'source' | 'location' | 'code' | 'reason' | 'fetchedAt' | 'isWhole'>,
  maxBytes: number,
): Promise<void> {
  const sha256 = await hashFile(file);
  const name = sha256.slice(0, 16);
  const folder = path.join(rejectedRoot(dataDir), `source=${about.source}`);
  await mkdir(folder, { recursive: true });
  const { size: bytes } = await stat(file);
  if (bytes > maxBytes) await rm(file);
  else await rename(file, path.join(folder, `${name}${BODY}`));
  const known = await findJson<Description>(path.join(folder, `${name}.json`));
  const description = { ...about, firstFetchedAt: known?.firstFetchedAt ?? about.fetchedAt, bytes, sha256 };
  await writeJsonAtomically(path.join(folder, `${name}.json`), description satisfies Description);
  await dropOldest(dataDir, maxBytes);
}

/** Rejected bodies of all sources, the last fetched first. */
export async function listRejectedFeeds(dataDir: string): Promise<RejectedFeed[]> {
  const root = rejectedRoot(dataDir);
  const listed: RejectedFeed[] = [];
  for (const folder of await listNames(root)) {
    if (!isSourceId(folder.replace(/^source=/, ''))) continue;
    for (const name of (await listNames(path.join(root, folder))).filter((one) => one.endsWith('.json'))) {
      const described = await findJson<Description>(path.join(root, folder, name));
      if (!described) continue;
      const body = path.join(root, folder, name.replace(/\.json$/, BODY));
      listed.push({ ...described, file: (await isThere(body)) ? path.relative(dataDir, body) : null });
    }
  }
  return listed.sort((a, b) => b.fetchedAt.localeCompare(a.fetchedAt) || a.sha256.localeCompare(b.sha256));
}

type Description = Omit<RejectedFeed, 'file'>;

const BODY = '.body';

async function dropOldest(dataDir: string, maxBytes: number): Promise<void> {
  let keptBytes = 0;
  const listed = new Map<SourceId, number>();
  for (const { source, sha256, bytes, file } of await listRejectedFeeds(dataDir)) {
    const rank = (listed.get(source) ?? 0) + 1;
    listed.set(source, rank);
    const isKept = file !== null && rank <= MAX_LISTED && keptBytes + bytes <= maxBytes;
    if (isKept) keptBytes += bytes;
    else if (file !== null) await rm(path.join(dataDir, file), { force: true });
    const description = path.join(rejectedRoot(dataDir), `source=${source}`, `${sha256.slice(0, 16)}.json`);
    if (rank > MAX_LISTED) await rm(description, { force: true });
  }
}

/** Outside of the lake: nothing in it is data. */
function rejectedRoot(dataDir: string): string {
  return path.join(dataDir, 'rejected');
}
