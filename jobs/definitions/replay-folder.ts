import { mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../pipeline/config/load-config.ts';
import { settings } from '../../pipeline/config/settings.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { findJson, listFolders, writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { createTemporaryFolderName } from '../../pipeline/effects/temporary-folders.ts';
import { workFolder } from '../../pipeline/lake/paths.ts';
import { type Instant, localDate } from '../../pipeline/model/service-time.ts';
import { placesFolder } from '../../pipeline/snapshots/places-files.ts';
import type { TimetableManifest } from '../../pipeline/snapshots/timetable-contract.ts';
import {
  sourceChecksFile,
  timetableManifestFile,
  timetableSnapshotsFolder,
} from '../../pipeline/snapshots/timetable-files.ts';
import { streetsFolder } from '../../pipeline/streets/published-streets.ts';

/**
 * Creates a data folder for a replay, with the timetable of that time and the present keys; the replay publishes into
 * it. The lake of the real folder is read, never written.
 * @param into its content is deleted; absent: a temporary folder
 * @returns the folder; the caller removes it after the replay
 * @throws ExternalError `timetable_unavailable` when no kept timetable covers the instant
 */
export async function makeReplayFolder(dataDir: string, at: Instant, into?: string): Promise<string> {
  const folder = into ?? path.join(workFolder(dataDir), await createTemporaryFolderName());
  const timetable = await chooseTimetable(dataDir, at);
  await rm(folder, { recursive: true, force: true });
  const snapshots = timetableSnapshotsFolder(folder);
  await mkdir(snapshots, { recursive: true });
  await symlink(
    path.join(timetableSnapshotsFolder(dataDir), timetable.id),
    path.join(snapshots, timetable.id),
    'junction',
  );
  const checkedAt = new Date(at * 1000).toISOString();
  await writeJsonAtomically(
    sourceChecksFile(folder),
    Object.fromEntries(timetable.sources.map(({ sourceId }) => [sourceId, checkedAt])),
  );
  // With the same key, references of the replay are valid in the real service.
  await symlink(path.join(dataDir, 'secrets'), path.join(folder, 'secrets'), 'junction');
  await symlink(streetsFolder(dataDir), streetsFolder(folder), 'junction');
  await symlink(placesFolder(dataDir), placesFolder(folder), 'junction');
  await writeJsonAtomically(path.join(snapshots, 'current.json'), { id: timetable.id });
  return folder;
}

/**
 * The configuration of an api that serves a replay: it writes into the folder alone. In the store of the real service it
 * would judge watches by a past day, and tell their apps.
 */
export function configureReplay(config: Config, folder: string): Config {
  const watches = { ...config.watches, file: settings.watches.file.default, postgresUrl: null };
  return { ...config, dataDir: folder, watches };
}

/** The timetable that was in use at that time if it is still kept, else the newest that covers the day. */
async function chooseTimetable(dataDir: string, at: Instant): Promise<TimetableManifest> {
  const date = localDate(at, 'Europe/Vienna');
  const manifests = (await listManifests(dataDir))
    .filter(({ beginDate, endDate }) => beginDate <= date && date <= endDate)
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  const ofThen = manifests.filter(({ createdAt }) => Date.parse(createdAt) <= at * 1000).at(-1);
  const chosen = ofThen ?? manifests.at(-1);
  if (!chosen) {
    throw new ExternalError('timetable_unavailable', `no stored timetable covers ${date}. Ingest one that does`);
  }
  return chosen;
}

async function listManifests(dataDir: string): Promise<TimetableManifest[]> {
  const manifests: TimetableManifest[] = [];
  for (const name of await listFolders(timetableSnapshotsFolder(dataDir))) {
    const manifest = name.startsWith('.')
      ? null
      : await findJson<TimetableManifest>(timetableManifestFile(dataDir, name));
    if (manifest) manifests.push(manifest);
  }
  return manifests;
}
