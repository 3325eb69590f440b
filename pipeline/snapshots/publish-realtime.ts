import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileAtomically, writeJsonAtomically } from '../effects/files.ts';
import { isAhead } from '../model/clock-tolerance.ts';
import { REALTIME_FORMAT_VERSION, type RealtimeManifest, type RealtimeTables } from './realtime-contract.ts';
import {
  type RealtimePointer,
  readRealtimeBytes,
  realtimeSnapshotFile,
  realtimeSnapshotsFolder,
  writeRealtimeBytes,
} from './realtime-files.ts';

/** A reader that has just read the pointer must still find the file, so younger files stay whatever their number. */
const YOUNGEST_REMOVED_MILLISECONDS = 60_000;

/**
 * Publishes the realtime state as one new file and moves the pointer to it: written aside, read back, renamed. After a
 * crash at any instruction the snapshot before it is still valid.
 * @returns its id: time and content, so it sorts by time
 */
export async function publishRealtime(
  dataDir: string,
  state: Pick<RealtimeManifest, 'timetableId' | 'sources' | 'models'> & { readonly tables: RealtimeTables },
  nowMilliseconds: number,
  keep: number,
): Promise<string> {
  const { timetableId, sources, models, tables } = state;
  const name = (id: string): RealtimeManifest => ({
    kind: 'realtime',
    formatVersion: REALTIME_FORMAT_VERSION,
    id,
    timetableId,
    createdAt: new Date(nowMilliseconds).toISOString(),
    sources,
    models,
  });
  const content = crc32(writeRealtimeBytes({ manifest: name(''), tables }));
  const id = `${nowMilliseconds.toString(36)}-${content.toString(16).padStart(8, '0')}`;
  const bytes = writeRealtimeBytes({ manifest: name(id), tables });
  readRealtimeBytes(bytes, `realtime snapshot ${id}`);
  await writeFileAtomically(realtimeSnapshotFile(dataDir, id), bytes);
  const pointer: RealtimePointer = { id, timetableId };
  await writeJsonAtomically(path.join(realtimeSnapshotsFolder(dataDir), 'current.json'), pointer);
  await dropOldSnapshots(dataDir, id, nowMilliseconds, keep);
  return id;
}

/** Also removes unfinished files that a crash left behind. */
async function dropOldSnapshots(dataDir: string, current: string, now: number, keep: number): Promise<void> {
  const folder = realtimeSnapshotsFolder(dataDir);
  const names = await readdir(folder);
  const madeAt = (name: string) => Number.parseInt(name, 36);
  const isInFuture = (name: string) => isAhead(madeAt(name) / 1000, now / 1000);
  // Files made under a clock that was ahead count as the oldest: otherwise they would displace newer ones for ever.
  const others = names
    .filter((name) => name.endsWith('.rt') && name !== `${current}.rt`)
    .sort((a, b) => Number(isInFuture(b)) - Number(isInFuture(a)) || (a < b ? -1 : 1));
  const tooMany = others.slice(0, Math.max(0, others.length + 1 - keep));
  for (const name of [...names.filter((one) => one.endsWith('.tmp')), ...tooMany]) {
    if (isInFuture(name) || !(now - madeAt(name) <= YOUNGEST_REMOVED_MILLISECONDS))
      await rm(path.join(folder, name), { force: true });
  }
}
