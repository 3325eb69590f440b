import path from 'node:path';
import { findJson, isThere, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { stopEventManifestFile, stopEventManifestFolder, stopEventPartition } from '../../lake/paths.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import { parseServiceDate, type ServiceDate } from '../../model/service-time.ts';

/** Facts about one day of one source: its inputs, the version of the rules, and the result. */
export interface StopEventManifest {
  readonly sourceId: SourceId;
  readonly serviceDate: ServiceDate;
  /** From observations of a configured source, or imported from an archive. */
  readonly kind: 'realtime' | 'import';
  readonly rulesVersion: number;
  /** A day whose inputs or rules have changed since is stale. */
  readonly inputs: readonly StopEventInput[];
  readonly rows: number;
  /** `rows` and all refused rows. */
  readonly rowsIn: number;
  /** Rows that are in no file, by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Equal rows have equal hashes, whatever wrote them and in whatever order. */
  readonly rowsHash: string;
  readonly counts: StopEventCounts;
  readonly builtAt: string;
  /** Further counts of the build, by name; for people, and for checks. */
  readonly notes?: Readonly<Record<string, number>>;
}

export interface StopEventInput {
  readonly name: string;
  readonly hash: string;
}

/** Rows of the day. Added calls are in `added` alone; a cancelled one is neither observed nor forecast. */
export interface StopEventCounts {
  readonly scheduled: number;
  readonly observed: number;
  readonly forecast: number;
  readonly cancelled: number;
  readonly added: number;
}

/** @returns null for a day that was never completed, or whose rows are gone */
export async function findStopEventManifest(
  dataDir: string,
  source: SourceId,
  serviceDate: ServiceDate,
): Promise<StopEventManifest | null> {
  const manifest = await findJson<StopEventManifest>(stopEventManifestFile(dataDir, source, serviceDate));
  return manifest && (await isThere(stopEventFile(dataDir, source, serviceDate))) ? manifest : null;
}

export async function writeStopEventManifest(dataDir: string, manifest: StopEventManifest): Promise<void> {
  await writeJsonAtomically(stopEventManifestFile(dataDir, manifest.sourceId, manifest.serviceDate), manifest);
}

export interface StopEventDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
}

/** Sources with stop events, in alphabetical order. */
export async function listStopEventSources(dataDir: string): Promise<SourceId[]> {
  const names = (await listNames(stopEventManifestFolder(dataDir))).sort();
  return names.map((name) => name.replace(/^source=/, '')).filter(isSourceId);
}

/** Complete days, by source, oldest first. */
export async function listStopEventDays(dataDir: string): Promise<StopEventDay[]> {
  const days: StopEventDay[] = [];
  for (const day of await listDaysOf(dataDir, 'json')) {
    if (await findStopEventManifest(dataDir, day.source, day.serviceDate)) days.push(day);
  }
  return days;
}

/** Days whose rows a job that was killed has begun to replace, by source, oldest first: they will be built again. */
export async function listHalfReplacedDays(dataDir: string): Promise<StopEventDay[]> {
  const days: StopEventDay[] = [];
  for (const day of await listDaysOf(dataDir, 'replaced')) {
    if (!(await findStopEventManifest(dataDir, day.source, day.serviceDate))) days.push(day);
  }
  return days;
}

/** The newest complete day of a source; null where it has none. */
export async function findNewestStopEventDay(dataDir: string, source: SourceId): Promise<ServiceDate | null> {
  for (const { serviceDate } of (await listDaysOf(dataDir, 'json', [source])).reverse()) {
    if (await findStopEventManifest(dataDir, source, serviceDate)) return serviceDate;
  }
  return null;
}

async function listDaysOf(
  dataDir: string,
  ending: 'json' | 'replaced',
  sources?: readonly SourceId[],
): Promise<StopEventDay[]> {
  const days: StopEventDay[] = [];
  for (const source of sources ?? (await listStopEventSources(dataDir))) {
    for (const file of (await listNames(path.join(stopEventManifestFolder(dataDir), `source=${source}`))).sort()) {
      const { name, ext } = path.parse(file);
      const serviceDate = parseServiceDate(name.replace(/^service_date=/, ''));
      if (serviceDate && ext === `.${ending}`) days.push({ source, serviceDate });
    }
  }
  return days;
}

/** The rows of a day, the one file of its partition. */
export function stopEventFile(dataDir: string, source: SourceId, serviceDate: ServiceDate): string {
  return path.join(stopEventPartition(dataDir, source, serviceDate), 'part-0.parquet');
}
