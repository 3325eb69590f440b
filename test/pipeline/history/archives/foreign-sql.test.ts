import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { listStopEventDays } from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { archiveFolder, importFile, writeArchive } from '../../../support/worlds/imported-world.ts';
import { csv, MAPPING, TRAIN, withColumns } from '../../../support/worlds/made-up-archive.ts';

const SECRET = 'key,value\ntoken,rosebud\n';

/** An archive beside a file that the mapping must not read. */
async function world() {
  const dataDir = await archiveFolder();
  const file = await writeArchive(dataDir, 'days.csv', csv(TRAIN));
  const secret = await writeArchive(dataDir, 'secret.csv', SECRET);
  return { dataDir, file, secret, folder: path.dirname(secret) };
}

const facts = MAPPING.slice(0, MAPPING.indexOf('select'));

describe('the SQL of a mapping, which may come from anyone, cannot', () => {
  it.each<[what: string, value: (secret: string) => string]>([
    ['read a file as text', (secret) => `(select content from read_text(${secret}))`],
    ['read a file as bytes', (secret) => `(select content::varchar from read_blob(${secret}))`],
    ['read a table', (secret) => `(select any_value(value) from read_csv(${secret}))`],
    ['read a file by its name only', (secret) => `(select any_value(value) from ${secret.replaceAll("'", '"')})`],
    ['read Parquet', (secret) => `(select any_value(a) from read_parquet(${secret}) as t(a))`],
    ['detect the format of a file', (secret) => `(select any_value(delimiter) from sniff_csv(${secret}))`],
    ['list a folder', (secret) => `(select min(file) from glob(${secret.replace('secret.csv', '*')}))`],
    [
      'read by a query in a text',
      (secret) => `(from query('select content from read_text(${secret.replaceAll("'", "''")})'))`,
    ],
    [
      'read files beside the archive',
      (secret) => `(select any_value(value) from read_csv(${secret.replace('secret', '*')}))`,
    ],
    ['query another machine', () => `(select any_value(a) from read_csv('https://example.org/a.csv') as t(a))`],
  ])('%s', async (_what, value) => {
    const { secret, ...request } = await world();
    const mapping = withColumns(MAPPING, { platform: value(sqlText(secret)) });
    const refused = await importFile({ ...request, mapping }).then(
      () => null,
      (error: Error) => error,
    );
    expect(refused?.name).toBe('MappingError');
    expect(refused?.message).toMatch(/file system operations are disabled|not allowed|disabled|LocalFileSystem/i);
    expect(refused?.message).not.toContain('rosebud');
    expect(await listStopEventDays(request.dataDir)).toEqual([]);
  });

  it.each<[what: string, sql: (folder: string) => string]>([
    ['write a file', (folder) => `copy archive to '${folder}/stolen.csv'`],
    ['open a database', (folder) => `attach '${folder}/stolen.db' as stolen`],
    ['export everything', (folder) => `export database '${folder}/stolen'`],
    ['change a setting', () => 'set enable_external_access = true'],
    ['reset a setting', () => 'reset lock_configuration'],
    ['query with a pragma', () => 'pragma enable_profiling'],
    ['load an extension', () => 'load httpfs'],
    ['install an extension', () => 'install httpfs'],
    ['create a table', () => 'create table t as from archive'],
    ['create a macro', () => 'create macro trim(a) as a'],
    ['drop the archive', () => 'drop view archive'],
    ['call a procedure', () => 'call pragma_version()'],
    ['set a variable', () => "set variable clock = 'utc'"],
  ])('%s', async (_what, sql) => {
    const { folder, ...request } = await world();
    for (const text of [
      sql(folder),
      `${sql(folder)}; from archive`,
      `${MAPPING.slice(facts.length)}; ${sql(folder)}`,
    ]) {
      await expect(importFile({ ...request, mapping: `${facts}${text}` })).rejects.toThrow(
        /below its facts there must be one query|file system operations are disabled by configuration/,
      );
    }
    expect((await readdir(folder)).sort()).toEqual(['days.csv', 'secret.csv']);
    expect(await readFile(path.join(folder, 'secret.csv'), 'utf8')).toBe(SECRET);
  });

  it('delay a run that is to end', async () => {
    const { secret: _secret, folder: _folder, ...request } = await world();
    const endless =
      '(with recursive t(n) as (select 1 union all select n % 7 + 1 from t) select max(n)::varchar from t)';
    const signal = AbortSignal.timeout(500);
    const run = importFile({ ...request, mapping: withColumns(MAPPING, { platform: endless }), signal });
    await expect(run).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

it.each(['', '/* later */'])('the SQL of a mapping must not be empty: %j', async (sql) => {
  const { secret: _secret, folder: _folder, ...request } = await world();
  const run = importFile({ ...request, mapping: `${facts}${sql}` });
  await expect(run).rejects.toThrow('the mapping own does not fit days.csv: below its facts there must be one query');
});

it('the SQL of a mapping may read all rows of the archive', async () => {
  const { secret: _secret, folder: _folder, ...request } = await world();
  const mapping = withColumns(MAPPING, { skip_code: "case when arr = max(arr) over () then 'last_of_all' end" });
  const { record } = await importFile({ ...request, mapping });
  expect(record.refusedInDays).toEqual({ last_of_all: 1 });
});
