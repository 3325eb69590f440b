import process from 'node:process';
import { readCompose } from './compose.ts';
import { lintDockerfile } from './dockerfile.ts';
import { runEverything } from './everything.ts';
import { readIcebergTables } from './iceberg.ts';
import { buildAndRunImage } from './image.ts';
import { checkOnS3 } from './object-store.ts';
import { compareWithOtp } from './otp.ts';
import { checkWithPromtool } from './promtool.ts';
import { balanceReplicas } from './replicas.ts';
import { stopServices } from './services/service.ts';
import { completeInShells } from './shells.ts';
import { readWithSpark } from './spark.ts';
import { readStoredTables } from './store-tables.ts';
import { checkUnit } from './systemd.ts';
import { compareEngines } from './trino.ts';

/**
 * What other programs read, checked by them, in this order. Each check brings up what it needs, throws an Error that says
 * what is wrong or missing, and returns its figures. What it leaves running is stopped after it.
 */
const checks: Readonly<Record<string, () => Promise<string>>> = {
  'metrics and alert rules, by promtool of Prometheus': checkWithPromtool,
  'completion, by bash, zsh and fish': completeInShells,
  'systemd unit, by systemd-analyze': checkUnit,
  'Dockerfile, by hadolint': lintDockerfile,
  'compose.yaml, by Docker Compose': readCompose,
  'object store, on an S3 server': checkOnS3,
  'replicas, behind HAProxy': balanceReplicas,
  'Iceberg tables, by PyIceberg and DuckDB': readIcebergTables,
  'Iceberg tables, by Spark': readWithSpark,
  'Iceberg tables in an S3 store, by PyIceberg, Spark and DuckDB': readStoredTables,
  'tables, marts and questions, by Trino and DuckDB': compareEngines,
  'trip planner, against OpenTripPlanner': compareWithOtp,
  'everything together: S3, PostgreSQL, workers, pollers, Trino, HAProxy': runEverything,
  'container image, built and run by buildah': buildAndRunImage,
};

/** Only the checks whose names contain this word, e.g. `zsh`; all without it. */
const wanted = process.argv[2] ?? '';
const chosen = Object.entries(checks).filter(([name]) => name.toLowerCase().includes(wanted.toLowerCase()));

let failed = 0;
for (const [name, check] of chosen) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s`;
  try {
    const figures = await check();
    process.stdout.write(`ok      ${seconds()}  ${name}: ${figures}\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`FAILED  ${seconds()}  ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    await stopServices();
  }
}
process.stdout.write(`${chosen.length - failed} of ${chosen.length} checks are ok\n`);
// A name that no check has is a mistake of the caller, not a success.
process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;
