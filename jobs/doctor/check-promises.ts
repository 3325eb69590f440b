import type { RunState } from '../../pipeline/operations/job-run.ts';
import type { TimetableManifest } from '../../pipeline/timetable/snapshot/contract.ts';
import { findBackupRecord } from '../last-backup.ts';
import { findReadableTimetable } from '../rebuild-outdated.ts';
import { isFailure } from '../run-figures.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

const DAY_MILLISECONDS = 86_400_000;
/** A timetable that ends sooner deserves a look at its publisher. */
const MIN_DAYS_LEFT = 7;
const MAX_BACKUP_DAYS = 2;

export async function checkTimetableDays({ config, effects }: Examined): Promise<Finding> {
  const manifest = await findReadableTimetable(config.dataDir);
  return rateTimetable(manifest, effects.clock.nowMilliseconds());
}

function rateTimetable(manifest: TimetableManifest | null, now: number): Finding {
  const about = 'timetable';
  const ingest = 'run "taktgeber run ingest-timetable"';
  if (manifest === null) return warning(about, 'none is published that this program can read', ingest);
  const { id, endDate } = manifest;
  const daysLeft = Math.floor((Date.parse(endDate) - now) / DAY_MILLISECONDS) + 1;
  if (daysLeft <= 0) return bad(about, `${id} ended on ${endDate}`, `${ingest}; ask the publisher if that is no help`);
  if (daysLeft < MIN_DAYS_LEFT) return warning(about, `${id} ends on ${endDate}, in ${daysLeft} days`, ingest);
  return good(about, `${id} runs until ${endDate}`);
}

/** A job as the list of jobs shows it. */
interface ListedJob {
  readonly job: string;
  readonly lastStatus: RunState | null;
  readonly lastSummary: string | null;
  readonly lastSuccessAt: string | null;
  readonly freshness: 'fresh' | 'stale' | 'never' | null;
}

/** Jobs that have failed or are late. */
export function checkJobs(listings: readonly ListedJob[]): Finding[] {
  const findings = listings.flatMap(({ job, lastStatus, lastSummary, freshness, lastSuccessAt }) => {
    const remedy = `run "taktgeber run ${job}" and read what it prints`;
    if (lastStatus !== null && isFailure(lastStatus)) {
      return [bad(`job ${job}`, `its last run failed: ${lastSummary}`, remedy)];
    }
    if (freshness === 'stale') return [warning(`job ${job}`, `its last success was ${lastSuccessAt}`, remedy)];
    return [];
  });
  return findings.length > 0 ? findings : [good('jobs', 'none has failed or is late')];
}

export async function checkBackup({ config, effects }: Examined): Promise<Finding> {
  const about = 'backup';
  const record = await findBackupRecord(config.dataDir);
  if (record === null) return warning(about, 'none was made yet', 'run "taktgeber backup --to <folder>" daily');
  const { id, store, takenAt } = record;
  const days = (effects.clock.nowMilliseconds() - Date.parse(takenAt)) / DAY_MILLISECONDS;
  if (days <= MAX_BACKUP_DAYS) return good(about, `${id} in ${store}`);
  return warning(about, `the last one is ${id} in ${store}`, `run "taktgeber backup --to ${store}"`);
}
