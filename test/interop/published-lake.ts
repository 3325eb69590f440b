import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { addDays, localDate } from '../../pipeline/model/service-time.ts';
import { build } from '../support/worlds/marts.ts';
import { writeObservedTables } from '../support/worlds/observed-tables.ts';
import { runCli } from './run-cli.ts';

/** Writes every table with rows, and some days of the simulated country, and publishes them as Iceberg tables. */
export async function writePublishedLake(dataDir: string): Promise<void> {
  await writeLake(dataDir);
  await runJob(dataDir, 'publish-iceberg');
}

export async function writeLake(dataDir: string): Promise<void> {
  const yesterday = addDays(localDate(nowInstant(systemClock), 'UTC'), -1);
  await runJob(dataDir, 'build-sample-history', '--from', addDays(yesterday, -2), '--to', yesterday);
  await writeObservedTables(dataDir);
  await build(dataDir);
}

export async function runJob(dataDir: string, ...argv: string[]): Promise<void> {
  await runCli(dataDir, {}, 'run', ...argv);
}
