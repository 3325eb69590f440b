import { nowInstant } from '../../pipeline/effects/clock.ts';
import type { ExpiredTable } from '../../pipeline/iceberg/expire-table.ts';
import { findDeletionMoment, noteDeletionMoment } from '../../pipeline/lake/deletion-clock.ts';
import { locateTables } from '../../pipeline/lakehouse/locate-tables.ts';
import type { Job, JobContext, JobOutcome } from '../job/job.ts';
import { ICEBERG } from '../job/resources.ts';

/** Forgets old states of the Iceberg tables. */
export function expireIcebergJob(): Job {
  return {
    name: 'expire-iceberg',
    summary: 'Forgets snapshots of the Iceberg tables beyond their limits, and removes files that only they need.',
    accepts: [],
    schedule: (config) => config.schedule.expireIceberg,
    follows: ['publish-iceberg'],
    listWritten: async () => [ICEBERG],
    run: expireIceberg,
  };
}

const HOUR_SECONDS = 3600;

/** The job runs daily: after a clock jump ahead, it ages snapshots by at most two days. */
const MAX_EXPIRY_GAP_SECONDS = 2 * 86_400;
const DELETION = 'iceberg-snapshots';

interface ExpiredNamed extends ExpiredTable {
  readonly table: string;
}

async function expireIceberg({ config, effects, options, stopping }: JobContext): Promise<JobOutcome> {
  // Imported on demand, as it loads the definitions of all tables.
  const { listLakehouseTables } = await import('../../pipeline/lakehouse/lakehouse-tables.ts');
  const { expireLakehouseTable } = await import('../../pipeline/lakehouse/expire-lakehouse.ts');
  const { dataDir, iceberg } = config;
  const moment = await findDeletionMoment(dataDir, DELETION, MAX_EXPIRY_GAP_SECONDS, nowInstant(effects.clock));
  const now = moment * 1000;
  const expireBefore = (moment - iceberg.keepHours * HOUR_SECONDS) * 1000;
  const limits = { now, expireBefore, keep: iceberg.keepSnapshots, isDryRun: options.isDryRun };
  const expired: ExpiredNamed[] = [];
  for (const table of listLakehouseTables()) {
    stopping?.throwIfAborted();
    const one = await expireLakehouseTable(
      { dataDir, location: locateTables(iceberg.location, config.store.url), ...limits },
      table,
    );
    const { namespace, name } = table.definition;
    if (one && one.snapshots + one.files > 0) expired.push({ table: `${namespace}.${name}`, ...one });
  }
  if (!options.isDryRun) await noteDeletionMoment(dataDir, DELETION, moment);
  return {
    status: expired.length === 0 ? 'unchanged' : 'done',
    summary: describe(expired, options.isDryRun),
    due: expired.map(({ table, snapshots, files }) => ({
      what: table,
      why: `${snapshots} snapshots are too old, ${files} files are not needed`,
    })),
    details: { tables: expired.map((one) => ({ ...one })) },
  };
}

function describe(expired: readonly ExpiredNamed[], isDryRun: boolean): string {
  if (expired.length === 0) return 'no snapshot is too old';
  const sum = (value: (one: ExpiredNamed) => number) => expired.reduce((total, one) => total + value(one), 0);
  const files = sum((one) => one.files);
  const bytes = sum((one) => one.bytes);
  const snapshots = sum((one) => one.snapshots);
  return `${isDryRun ? 'would drop' : 'dropped'} ${snapshots} snapshots and ${files} files of ${bytes} bytes`;
}
