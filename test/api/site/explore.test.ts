import type { FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { type OpenLake, openReadOnlyDuckdb } from '../../../pipeline/effects/read-only-duckdb.ts';
import { at } from '../engine/live-town.ts';
import { openTripTown } from '../engine/trips/trip-town.ts';
import { openService } from '../service-app.ts';

const openLake: OpenLake = ({ outputFile }) =>
  openReadOnlyDuckdb({
    queries: {
      lines: `select * from (values (1, 'U6', 0.5::double), (2, 'a "b", c', null)) as one(number, label, share)`,
    },
    output: outputFile,
    engine: { threads: 1 },
  });

async function openExplore(clients: 'loopback' | 'all' | null): Promise<FastifyInstance> {
  const site = { examples: [], ...(clients === null ? {} : { exploreClients: clients }) };
  return openService(await openTripTown(), {
    clock: fixedClock(at('08:00')),
    openLake: clients === null ? null : openLake,
    overrides: { site },
  });
}

const english = { 'accept-language': 'en' };
const dataOf = (sql: string, more = '') => `/site/data/explore?sql=${encodeURIComponent(sql)}${more}`;

describe('the data of the explore page', () => {
  test('are the tables and the rows of a query', async () => {
    const app = await openExplore('loopback');
    const tables = [{ name: 'lines', columns: ['number', 'label', 'share'] }];
    expect((await app.inject({ url: '/site/data/explore' })).json()).toEqual({
      tables,
      columns: [],
      rows: [],
      isCut: false,
    });
    const { headers, body } = await app.inject({ url: dataOf('from lines where number = 1') });
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body)).toEqual({
      tables,
      columns: [
        { name: 'number', isNumeric: true },
        { name: 'label', isNumeric: false },
        { name: 'share', isNumeric: true },
      ],
      rows: [[1, 'U6', 0.5]],
      isCut: false,
    });
  });

  test('are cut at the limit', async () => {
    const app = await openExplore('loopback');
    const { rows, isCut } = (await app.inject({ url: dataOf('from range(501)') })).json();
    expect([rows.length, isCut]).toEqual([500, true]);
    expect((await app.inject({ url: dataOf('from range(500)') })).json().isCut).toBe(false);
  });

  test('are files in each format', async () => {
    const app = await openExplore('loopback');
    const read = async (format: string) => app.inject({ url: dataOf('from lines;', `&format=${format}`) });
    expect((await read('csv')).body).toBe('number,label,share\n1,U6,0.5\n2,"a ""b"", c",\n');
    expect((await read('json')).json()).toEqual([
      { number: 1, label: 'U6', share: 0.5 },
      { number: 2, label: 'a "b", c', share: null },
    ]);
    const parquet = await read('parquet');
    expect(parquet.headers['content-type']).toBe('application/vnd.apache.parquet');
    expect(parquet.rawPayload.subarray(0, 4).toString()).toBe('PAR1');
  });

  test.each([
    ['a mistake', 'select nothing from lines', /nothing/],
    ['a statement that writes', "copy lines to '/tmp/x.csv'", /disabled by configuration/],
    ['a file of the machine', "from read_text('/etc/passwd')", /disabled by configuration/],
    ['no statement', '-- nothing', /no statement/],
  ])('refuse %s with the message of the engine', async (_what, sql, message) => {
    const answer = await (await openExplore('loopback')).inject({ url: dataOf(sql) });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', parameter: 'sql' });
    expect(answer.json().detail).toMatch(message);
  });
});

describe('the page', () => {
  test('shows rows, files, examples and tables', async () => {
    const app = await openExplore('loopback');
    const { statusCode, body } = await app.inject({
      url: `/explore?sql=${encodeURIComponent("select label, '<b>' as mark from lines")}`,
      headers: english,
    });
    expect(statusCode).toBe(200);
    expect(body).toContain('<td>U6</td>\n<td>&lt;b&gt;</td>');
    expect(body).toMatch(/href="\/site\/data\/explore\?sql=[^"]+&amp;format=parquet"/);
    expect(body).toContain('<summary><code>lines</code></summary>');
    expect(body).toContain('The most punctual lines');
  });

  test('shows what is wrong with a query, and keeps it', async () => {
    const app = await openExplore('loopback');
    const { body } = await app.inject({ url: '/explore?sql=select+nothing+from+lines', headers: english });
    expect(body).toContain('The query does not match the columns of the table.');
    expect(body).toMatch(/<pre lang="en"><code>Binder Error: Referenced column &quot;nothing&quot; not found/);
    expect(body).toContain('>select nothing from lines</textarea>');
  });

  test.each([
    ['selct 1', 'Die Abfrage enthält einen Syntaxfehler.', 'syntax error'],
    ['from gtfs.nowhere', 'Diese Tabelle oder Funktion gibt es nicht.', 'nowhere'],
    ['select nothing from lines', 'Die Abfrage passt nicht zu den Spalten der Tabelle.', 'nothing'],
    ["select 'U6'::int", 'Ein Wert hat nicht die Form', 'U6'],
    ["from read_text('/etc/passwd')", 'Hier sind nur lesende Abfragen', 'disabled by configuration'],
    ['-- nothing', 'Die Abfrage ist leer.', 'no statement'],
  ])('says in German what is wrong with %s, and marks the message as English', async (sql, sentence, message) => {
    const app = await openExplore('loopback');
    const url = `/explore?sql=${encodeURIComponent(sql)}`;
    const { body } = await app.inject({ url, headers: { 'accept-language': 'de' } });
    const [, shown, detail] =
      /<div class="failure" role="alert"><p>(.*?) <a .*<pre lang="en"><code>(.*?)<\/code>/s.exec(body)!;
    expect(shown).toContain(sentence);
    expect(detail).toContain(message);
  });
});

describe('who may query', () => {
  const remote = { remoteAddress: '192.0.2.7' };
  test.each<[string, 'loopback' | 'all' | null, object, number]>([
    ['a browser of this machine', 'loopback', { headers: { host: '127.0.0.1:8080' } }, 200],
    ['by IPv6', 'loopback', { remoteAddress: '::1', headers: { host: '[::1]:8080' } }, 200],
    ['another machine', 'loopback', remote, 404],
    ['a proxy on this machine', 'loopback', { headers: { 'x-forwarded-for': '192.0.2.7' } }, 404],
    ['a name that is made to point here', 'loopback', { headers: { host: 'evil.example' } }, 404],
    ['a page of another site', 'loopback', { headers: { 'sec-fetch-site': 'cross-site' } }, 404],
    ['another machine, if all may', 'all', remote, 200],
    ['a page of another site, if all may', 'all', { headers: { 'sec-fetch-site': 'cross-site' } }, 404],
    ['anybody, if nobody may', null, {}, 404],
  ])('%s (%s)', async (_what, clients, request, status) => {
    const app = await openExplore(clients);
    for (const url of ['/explore', '/site/data/explore']) {
      expect([url, (await app.inject({ url, ...request })).statusCode]).toEqual([url, status]);
    }
  });
});
