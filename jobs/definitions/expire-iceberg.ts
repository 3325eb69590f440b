import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import { ExternalError, isOfTheSystem, mayPass } from '../../pipeline/effects/external-error.ts';
import { findDeletionTime, noteDeletionTime } from '../../pipeline/lake/deletion-clock.ts';
import { isAhead } from '../../pipeline/model/clock-tolerance.ts';
import type { ExpiredTable } from '../../pipeline/scale-out/iceberg/expire-table.ts';
import type { SnapshotLimits } from '../../pipeline/scale-out/iceberg/table-metadata.ts';
import type { Job, JobContext, JobOutcome } from '../job/job.ts';
import { ICEBERG } from '../job/resources.ts';

/** Forgets old states of the Iceberg tables. */
export function expireIcebergJob(): Job {
  return {
    name: 'expire-iceberg',
    summary: 'Expires snapshots of the Iceberg tables beyond their limits and removes files that only they need.',
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

interface ExpiredNamed extends Omit<ExpiredTable, 'changedAtMilliseconds'> {
  readonly table: string;
}

interface FailedTable {
  readonly table: string;
  readonly error: Error;
}

async function expireIceberg(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const { dataDir, iceberg } = config;
  const instant = await findDeletionTime(dataDir, DELETION, MAX_EXPIRY_GAP_SECONDS, nowInstant(effects.clock));
  const expireBefore = (instant - iceberg.keepHours * HOUR_SECONDS) * 1000;
  const limits = { now: instant * 1000, expireBefore, keep: iceberg.keepSnapshots };
  const { expired, failed } = await expireTables(context, limits);
  const isRetryable = failed.some(({ error }) => mayPass(error));
  // The next attempt ages snapshots by the same instant. A table that stays damaged must not hold up the others.
  if (!options.isDryRun && !isRetryable) await noteDeletionTime(dataDir, DELETION, instant);
  const outcome = {
    summary: describe(expired, options.isDryRun),
    due: expired.map(({ table, snapshots, files }) => ({
      what: table,
      reason: `${snapshots} snapshots are too old, ${files} files are not needed`,
    })),
    details: { tables: expired.map((one) => ({ ...one })) },
  };
  if (failed.length === 0) return { ...outcome, status: expired.length === 0 ? 'unchanged' : 'done' };
  const names = failed.map(({ table }) => table).join(', ');
  const summary = `${outcome.summary}; failed for ${names}: ${failed[0]!.error.message}`;
  return { ...outcome, status: 'failed', summary, isRetryable };
}

/** Expires one table after the other; each fails alone. */
async function expireTables(
  { config: { dataDir, iceberg, store }, effects, options, stopping }: JobContext,
  limits: SnapshotLimits & { readonly now: number },
): Promise<{ readonly expired: readonly ExpiredNamed[]; readonly failed: readonly FailedTable[] }> {
  // Imported on demand, as it loads the definitions of all tables.
  const { listLakehouseTables } = await import('../../pipeline/scale-out/lakehouse/lakehouse-tables.ts');
  const { expireLakehouseTable } = await import('../../pipeline/scale-out/lakehouse/expire-lakehouse.ts');
  const { locateTables } = await import('../../pipeline/scale-out/lakehouse/locate-tables.ts');
  const location = locateTables(iceberg.location, store.url);
  const request = { dataDir, location, ...limits, isDryRun: options.isDryRun };
  const expired: ExpiredNamed[] = [];
  const failed: FailedTable[] = [];
  for (const lakehouseTable of listLakehouseTables()) {
    stopping?.throwIfAborted();
    const { namespace, name } = lakehouseTable.definition;
    const table = `${namespace}.${name}`;
    try {
      const one = await expireLakehouseTable(request, lakehouseTable);
      if (!one) continue;
      const { changedAtMilliseconds, ...removed } = one;
      const ahead = describeAhead(changedAtMilliseconds, effects.clock);
      if (ahead !== null) effects.log.warn(`the Iceberg table ${table} is dated ${ahead} ahead: ${AHEAD_ADVICE}`);
      if (removed.snapshots + removed.files > 0) expired.push({ table, ...removed });
    } catch (error) {
      if (!(error instanceof ExternalError || isOfTheSystem(error))) throw error;
      effects.log.warn(`the Iceberg table ${table} keeps its old snapshots: ${error.message}`);
      failed.push({ table, error });
    }
  }
  return { expired, failed };
}

const AHEAD_ADVICE =
  'the clock was wrong when it was published, and no snapshot expires until then. Remove its folder; the next publish-iceberg rebuilds it';

/** e.g. `3 hours`, rounded up; null for a table that is dated in the past, or as clocks differ. */
function describeAhead(changedAtMilliseconds: number, clock: Clock): string | null {
  const [changedAt, now] = [changedAtMilliseconds / 1000, nowInstant(clock)];
  if (!isAhead(changedAt, now)) return null;
  const seconds = changedAt - now;
  const [unitSeconds, unit] = seconds > 86_400 ? [86_400, 'day'] : seconds > 3600 ? [3600, 'hour'] : [60, 'minute'];
  const count = Math.ceil(seconds / unitSeconds);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function describe(expired: readonly ExpiredNamed[], isDryRun: boolean): string {
  if (expired.length === 0) return 'no snapshot is beyond its limits';
  const sum = (value: (one: ExpiredNamed) => number) => expired.reduce((total, one) => total + value(one), 0);
  const files = sum((one) => one.files);
  const bytes = sum((one) => one.bytes);
  const snapshots = sum((one) => one.snapshots);
  return `${isDryRun ? 'would drop' : 'dropped'} ${snapshots} snapshots and ${files} files of ${bytes} bytes`;
}
