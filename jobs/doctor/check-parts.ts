import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { SqlDatabase } from '../../pipeline/effects/sql-store/sql-database.ts';
import { bad, type Examined, type Finding, good } from './finding.ts';

/** Trino, and the databases besides that of jobs, where they are configured. */
export async function checkParts(examined: Examined): Promise<Finding[]> {
  const { watches, iceberg } = examined.config;
  const findings = await Promise.all([
    checkTrino(examined),
    checkDatabase('watches', 'watches.postgresUrl', watches.postgresUrl, examined),
    checkKeys(examined),
    checkDatabase('Iceberg catalog', 'iceberg.catalogPostgresUrl', iceberg.catalogPostgresUrl, examined),
  ]);
  return findings.filter((finding) => finding !== null);
}

async function checkTrino({ config: { engine, trino }, signal }: Examined): Promise<Finding | null> {
  if (engine !== 'trino') return null;
  const { openTrino } = await import('../../pipeline/scale-out/trino/open-trino.ts');
  const remedy = 'until then build-marts fails and the API uses local files; or set engine: duckdb';
  return checkAnswer('Trino', `correct that; ${remedy}`, async () => {
    const { catalog, stream } = await openTrino({ ...trino, url: trino.url! });
    const limits = { timeLimitSeconds: trino.queryTimeLimitSeconds, signal };
    // The tables of the catalog, of which none is read.
    for await (const _page of stream(`show tables from "${catalog.replaceAll('"', '""')}".lake`, limits));
    return `${trino.url} answers, and has the tables of the lake in its catalog ${catalog}`;
  });
}

async function checkDatabase(
  about: string,
  setting: string,
  url: string | null,
  { effects }: Examined,
): Promise<Finding | null> {
  if (url === null) return null;
  return checkAnswer(about, `start it, or correct ${setting}`, async () => {
    const database = await openForCheck(about, url, effects.log);
    try {
      await database.query('select 1');
    } finally {
      await database.close();
    }
    return 'the database answers';
  });
}

/** Null where no database is shared, where it does not answer, or where all keys are the same. */
async function checkKeys({ config, effects }: Examined): Promise<Finding | null> {
  const { postgresUrl } = config.watches;
  if (postgresUrl === null) return null;
  const { findDifferingKeys } = await import('../../api/start-api.ts');
  const database = await openForCheck('watches', postgresUrl, effects.log);
  try {
    const differing = await findDifferingKeys(config, database);
    if (differing.length === 0) return null;
    const verb = differing.length === 1 ? 'differs' : 'differ';
    const sentence = `${differing.join(' and ')} ${verb} from the replicas that share the watch database`;
    return bad('keys of replicas', sentence, 'set the same everywhere; docs/watches.md describes how to replace a key');
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    return null;
  } finally {
    await database.close();
  }
}

async function openForCheck(about: string, url: string, log: Log): Promise<SqlDatabase> {
  const { openPostgres } = await import('../../pipeline/effects/sql-store/postgres-database.ts');
  return openPostgres(url, { name: 'doctor', holds: about, migrations: [], postgresLock: 0 }, log);
}

async function checkAnswer(about: string, remedy: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return good(about, await check());
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    return bad(about, error.message, remedy);
  }
}
