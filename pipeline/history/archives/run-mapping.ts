import path from 'node:path';
import { type Duckdb, sqlName, sqlPath } from '../../effects/duckdb.ts';
import { openReadOnlyDuckdb, type ReadOnlyDuckdb } from '../../effects/read-only-duckdb.ts';
import { WorldError } from '../../effects/world-error.ts';
import { type ArchiveMapping, MappingError } from './archive-mapping.ts';
import { asReadable, type OpenArchive } from './read-archive.ts';
import { buildStageSelect, checkColumns, type StagePeriod } from './staging-columns.ts';

/**
 * Writes the rows that a mapping's query gives to an empty folder, one folder of Parquet per service date. The query may
 * be anybody's: it sees the rows of the archive, as `archive`, and nothing else of the machine.
 * @throws MappingError where the query is wrong or gives other columns
 * @throws WorldError `archive_unreadable`
 */
export async function runMapping(
  db: Duckdb,
  file: string,
  archive: OpenArchive,
  mapping: ArchiveMapping,
  days: string,
  period: StagePeriod,
): Promise<void> {
  const { temporaryFolder, ...limits } = db.options;
  const engine = await openReadOnlyDuckdb({
    files: [archive.file],
    queries: { archive: selectArchive(archive) },
    output: days,
    engine: { ...limits, ...(temporaryFolder ? { temporaryFolder: `${temporaryFolder}-archive` } : {}) },
  });
  try {
    await stageRows(engine, archive, mapping, period);
  } catch (error) {
    limits.signal?.throwIfAborted();
    if (!(error instanceof MappingError)) await asReadable(file, () => Promise.reject(error));
    const name = path.basename(file);
    throw new MappingError(`the mapping ${mapping.name} does not fit ${name}: ${(error as Error).message}`);
  } finally {
    engine.close();
  }
}

/** Texts without spaces around them, and null where nothing is left. */
function selectArchive({ file, columns }: OpenArchive): string {
  const selected = [...columns].map(([name, type]) => {
    return type === 'VARCHAR' ? `nullif(trim(${sqlName(name)}), '') as ${sqlName(name)}` : sqlName(name);
  });
  return `select ${selected.join(', ')}, file_row_number
    from read_parquet(${sqlPath(file)}, file_row_number = true, hive_partitioning = false)`;
}

async function stageRows(
  engine: ReadOnlyDuckdb,
  archive: OpenArchive,
  mapping: ArchiveMapping,
  period: StagePeriod,
): Promise<void> {
  const columns = await asMapped(archive, () => engine.createView('mapped_rows', mapping.sql));
  checkColumns(mapping, columns);
  const select = buildStageSelect(mapping, columns, 'mapped_rows', period);
  await asMapped(archive, () =>
    engine.writeParquet(select, 'compression snappy, partition_by ("day"), overwrite_or_ignore true'),
  );
}

/** What the engine finds wrong of a query; what else it fails at is the archive's or the world's. */
const WRONG_SQL = /^(Parser|Syntax|Binder|Catalog|Permission|Conversion|Out of Range|Not implemented) Error: /i;

async function asMapped<Result>({ columns }: OpenArchive, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    if (['sql_not_allowed', 'sql_empty'].includes(error.code)) {
      throw new MappingError('below its facts there must be one query');
    }
    if (error.code !== 'sql_failed' || !WRONG_SQL.test(error.message)) throw error;
    const [words = ''] = error.message.replace(WRONG_SQL, '').split('\n');
    const line = /LINE (\d+):/.exec(error.message)?.[1];
    const known = /not found in FROM clause/.test(words) ? `; the archive has ${[...columns.keys()].join(', ')}` : '';
    throw new MappingError(`${line ? `line ${line}: ` : ''}${words}${known}`);
  }
}
