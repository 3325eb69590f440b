import { expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { archiveFolder, importFile, queryStopEvents, writeArchive } from '../../../support/worlds/imported-world.ts';

/** Two calls of one trip; `late` is a time, `replaced` a train number. */
const MAPPING = `-- title: months that drift
-- source: own
-- format: parquet
-- zone: Europe/Vienna
-- clock: local

select
    file_row_number,
    date '2026-06-01' as service_date,
    trip as trip_id,
    n as position,
    stop as stop_id,
    ap as arrival_scheduled,
    ac as arrival_actual,
    'observed_actual' as arrival_evidence,
    dp as departure_scheduled,
    dc as departure_actual,
    'observed_actual' as departure_evidence,
    (cancelled::varchar = 'true' and replaced is null) as is_cancelled
from archive
`;

/** SQL of the columns of a month as the mapping expects them; null: the month lacks it. */
const MONTH = {
  trip: 'trip',
  n: 'n',
  stop: 'stop',
  ap: "if(n = 1, null, timestamp '2026-06-01 08:20:00')",
  dp: "if(n = 1, timestamp '2026-06-01 08:00:00', null)",
  ac: "if(n = 1, null, timestamp '2026-06-01 08:22:00')",
  dc: "if(n = 1, timestamp '2026-06-01 08:01:00', null)",
  cancelled: 'false',
  replaced: 'null::varchar',
} as const;
type Changes = Partial<Record<keyof typeof MONTH | 'further', string | null>>;

const CALLS = "values ('t', 1, 'A'), ('t', 2, 'B')";

async function importMonth(changes: Changes, mapping: string, order = 'trip, n, stop', where = 'true') {
  const dataDir = await archiveFolder();
  const file = await writeArchive(dataDir, 'month.parquet', '');
  const first = order.split(', ') as (keyof typeof MONTH)[];
  const columns = Object.entries({ ...MONTH, ...changes })
    .sort(([a], [b]) => first.indexOf(a as keyof typeof MONTH) - first.indexOf(b as keyof typeof MONTH))
    .flatMap(([name, sql]) => (sql === null ? [] : [`${sql} as ${name}`]));
  const db = await openDuckdb({ threads: 1 });
  await db.run(`copy (select ${columns.join(', ')} from (${CALLS}) as calls (trip, n, stop) where ${where})
    to ${sqlText(file)} (format parquet)`);
  db.close();
  const { record } = await importFile({ dataDir, file, mapping });
  if (record.days.length === 0) return { record, rows: [] };
  const rows = await queryStopEvents(
    dataDir,
    'own',
    'select trip_id, position, delay_seconds, arrival_is_cancelled or departure_is_cancelled as is_cancelled from stop_events order by position',
  );
  return { record, rows: rows.map((row) => Object.values(row)) };
}

const EXPECTED = [
  ['t', 1, 60, false],
  ['t', 2, 120, false],
];
const UNKNOWN = EXPECTED.map(([trip, position, , isCancelled]) => [trip, position, null, isCancelled]);

const optional = (names: string) => `-- optional: ${names}\n${MAPPING}`;
const laterBy = (change: string) =>
  MAPPING.replace('ac as', `${change.replaceAll('x', 'ac')} as`).replace('dc as', `${change.replaceAll('x', 'dc')} as`);

it.each<[what: string, changes: Changes, mapping: string, rows: unknown]>([
  ['as expected', {}, MAPPING, EXPECTED],
  ...['integer', 'varchar', 'boolean', 'double', 'blob', 'date', 'integer[]', '"NULL"'].map(
    (type): [string, Changes, string, unknown] => [
      `whose actual times are all null and ${type}`,
      { ac: `null::${type}`, dc: `null::${type}` },
      MAPPING,
      UNKNOWN,
    ],
  ),
  ['whose actual times are all empty texts', { ac: "''", dc: "' '" }, MAPPING, UNKNOWN],
  [
    'whose null numbers are used as times',
    { ac: 'null::integer', dc: 'null::integer' },
    laterBy('x + interval 1 minute'),
    UNKNOWN,
  ],
  [
    'whose null numbers are read as texts',
    { ac: 'null::integer', dc: 'null::integer' },
    laterBy("try_strptime(x[:19], '%Y')"),
    UNKNOWN,
  ],
  ['without an optional column', { replaced: null }, optional('replaced'), EXPECTED],
  ['without an optional column in a different case', { replaced: null }, optional('REPLACED'), EXPECTED],
  ['without several optional columns', { replaced: null, ac: null, dc: null }, optional('ac, replaced, dc'), UNKNOWN],
  ['with the optional columns', {}, optional('replaced, ac, never_there'), EXPECTED],
  ['whose flag is a text', { cancelled: "'true'" }, MAPPING, EXPECTED.map((row) => [...row.slice(0, 2), null, true])],
  ['whose positions are texts', { n: "n::varchar || ''" }, MAPPING, EXPECTED],
  ['with a further column', { further: '[1, 2]' }, MAPPING, EXPECTED],
])('imports a month %s', async (_what, changes, mapping, rows) => {
  expect((await importMonth(changes, mapping)).rows).toEqual(rows);
});

it('imports a month whose columns have another order', async () => {
  expect((await importMonth({}, MAPPING, 'replaced, dc, ac, stop, n')).rows).toEqual(EXPECTED);
});

it('imports a month without rows, whatever its types', async () => {
  const { record } = await importMonth({ ac: '1', ap: 'true', trip: '3' }, MAPPING, 'trip', 'false');
  expect(record).toMatchObject({ rowsRead: 0, days: [] });
});

it('rejects the rows of a month without any date', async () => {
  const mapping = MAPPING.replace("date '2026-06-01' as", 'null as');
  const { record } = await importMonth({}, mapping);
  expect(record).toMatchObject({ rowsRead: 2, refused: { no_service_date: 2 }, days: [] });
});

it.each<[what: string, changes: Changes, mapping: string, message: RegExp]>([
  [
    'with values of another type',
    { ac: '7' },
    MAPPING,
    /the column arrival_actual is INTEGER, but must be TIMESTAMP or DATE, or VARCHAR of one$/,
  ],
  ['with an id that is a number', { trip: '7' }, MAPPING, /the column trip_id is INTEGER, but must be VARCHAR$/],
  ['without a column', { replaced: null }, MAPPING, /"replaced" not found in FROM clause!; the archive has ap, dp/],
  ['without a column, and with one without values', { dp: null, ac: 'null::integer' }, MAPPING, /"dp" not found/],
  ['without an optional and another column', { dp: null, ac: null }, optional('ac'), /"dp" not found/],
])('rejects a month %s', async (_what, changes, mapping, message) => {
  const refused = importMonth(changes, mapping);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toThrow(/^the mapping own does not fit month\.parquet: /);
});
