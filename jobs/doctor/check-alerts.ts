import { listFeedManifests } from '../../pipeline/timetable/feed/feed-manifest.ts';
import { listActiveAlerts } from '../alerts/check-alerts.ts';
import type { AlertKind } from '../alerts/evaluate-alerts.ts';
import type { Job } from '../job/job.ts';
import { findBackupRecord } from '../last-backup.ts';
import { findServiceHolder } from '../locks/service-lock.ts';
import { findReadableTimetable } from '../schedule/rebuild-outdated.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

const DAY_MILLISECONDS = 86_400_000;
const MAX_BACKUP_DAYS = 2;

/** Only a running service resolves these. */
const SERVICE_ONLY: readonly AlertKind[] = ['source_stale', 'job_late'];
/** Covered by separate checks. */
const ELSEWHERE: readonly AlertKind[] = ['disk_low'];

/** The active alerts, whether or not a service runs that would send them. */
export async function checkFiringAlerts(
  { config, effects: { clock } }: Examined,
  jobs: readonly Job[],
): Promise<Finding[]> {
  const isScheduling = (await findServiceHolder(config.dataDir, { clock })) !== null;
  const { active } = await listActiveAlerts({ config, jobs, isScheduling, clock });
  const left = [...ELSEWHERE, ...(isScheduling ? [] : SERVICE_ONLY)];
  const findings = active
    .filter(([{ kind }]) => !left.includes(kind))
    .map(([{ kind, subject, text, remedy }]) => bad(`${kind} ${subject}`, text, remedy));
  return findings.length > 0 ? findings : [good('alerts', 'none is firing')];
}

export async function checkTimetable({ config }: Examined): Promise<Finding> {
  const about = 'timetable';
  const manifest = await findReadableTimetable(config.dataDir);
  if (manifest !== null) return good(about, `${manifest.id} runs until ${manifest.endDate}`);
  return warning(about, 'no readable timetable is published', 'run "taktgeber run ingest-timetable"');
}

/** The configured feeds of which no version was ever usable, where others are published. */
export async function checkFeeds({ config: { dataDir, sources } }: Examined): Promise<Finding[]> {
  const findings: Finding[] = [];
  if ((await findReadableTimetable(dataDir)) === null) return findings;
  for (const { id } of sources) {
    if ((await listFeedManifests(dataDir, id)).length > 0) continue;
    const remedy = 'run "taktgeber run ingest-timetable" for the reason, or remove it from the configuration';
    findings.push(warning(`feed ${id}`, 'configured, but never loaded', remedy));
  }
  return findings;
}

export async function checkBackup({ config, effects }: Examined): Promise<Finding> {
  const about = 'backup';
  const record = await findBackupRecord(config.dataDir);
  if (record === null) return warning(about, 'there is none yet', 'run "taktgeber backup --to <folder>" daily');
  const { id, store, takenAt } = record;
  const days = (effects.clock.nowMilliseconds() - Date.parse(takenAt)) / DAY_MILLISECONDS;
  if (days <= MAX_BACKUP_DAYS) return good(about, `${id} in ${store}`);
  return warning(about, `the last one is ${id} in ${store}`, `run "taktgeber backup --to ${store}"`);
}
