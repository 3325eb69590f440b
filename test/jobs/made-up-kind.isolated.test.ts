import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { ExplainedTrip } from '../../jobs/explain/explain-trip.ts';
import { parseRealtime } from '../../pipeline/config/realtime-config.ts';
import { renderOptionTables } from '../../pipeline/config/settings-document.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { pollHere } from '../../pipeline/realtime/polling/poll-here.ts';
import { findPartArea } from '../../pipeline/realtime/polling/provides.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../../pipeline/snapshots/realtime-files.ts';
import { finalise, listRows, openWorldToFinalise, type World } from '../support/worlds/finalised-world.ts';
import { soundFeed } from '../support/worlds/ingest.ts';
import { fakeEffects, runCommand, testConfig } from './fake-world.ts';

// A new kind needs only its line in this list from the rest of the project.
vi.mock('../../pipeline/sources/registry/source-definitions.ts', async (importOriginal) => {
  const { sourceDefinitions } =
    await importOriginal<typeof import('../../pipeline/sources/registry/source-definitions.ts')>();
  const { tickerKind } = await import('../support/fakes/ticker-source.ts');
  return {
    sourceDefinitions: [...sourceDefinitions, tickerKind('ticker', 'full'), tickerKind('secret-ticker', 'none')],
  };
});

const DAY = '2026-03-03';
const ticker = toSourceId('board');
const secret = toSourceId('closed');
const due = `${DAY} t2 1 ${DAY}T08:02:00Z due`;
/**
 * The messages of both tickers; at the last instant, the previous ones have been flushed from the journal into the
 * lake.
 */
const answers = [
  ['07:02:00', [`${DAY} t1 1 ${DAY}T07:01:30Z left`, due]],
  ['20:00:00', [due]],
] as const;

const entries = [
  { id: ticker, kind: 'ticker', timetable: 'city', url: 'https://ticker.example.org/', lines: 50 },
  { id: secret, kind: 'secret-ticker', timetable: 'city', url: 'https://closed.example.org/', news: true },
];

async function openPolledWorld() {
  const world = await openWorldToFinalise(soundFeed, DAY);
  const file = { sources: [{ id: 'city', gtfs: 'feeds/city.zip' }], realtime: entries };
  await writeFile(path.join(world.dataDir, 'taktgeber.yaml'), JSON.stringify(file));
  const { realtime, problems } = parseRealtime(entries, [toSourceId('city')]);
  expect(problems).toEqual([]);
  const config = { ...(await testConfig(world.dataDir)), realtime };
  const request = { config, sources: realtime, rounds: 1, signal: new AbortController().signal };
  const requests: string[] = [];
  for (const [time, lines] of answers) {
    const states = await pollHere(request, answerWith(time, lines.join('\n'), requests));
    expect(states.map(({ id, kind, trouble }) => [id, kind, trouble])).toEqual([
      [ticker, 'ticker', null],
      [secret, 'secret-ticker', null],
    ]);
  }
  return { world, requests };
}

function answerWith(time: string, text: string, requests: string[]): Effects {
  return {
    ...fakeEffects(`${DAY}T${time}Z`),
    log: silentLog,
    http: async ({ url }) => {
      requests.push(url);
      return { status: 200, headers: new Headers(), body: Readable.from([new TextEncoder().encode(text)]) };
    },
  };
}

const run = ({ dataDir }: World, ...argv: string[]) =>
  runCommand([...argv, '--config', path.join(dataDir, 'taktgeber.yaml')], { dataDir });

describe('a kind that is a definition and a line in the list', () => {
  const wrong: readonly [entry: object, ...messages: string[]][] = [
    [{ id: 'x', kind: 'ticker' }, 'realtime[0].url must be an http or https address'],
    [
      { id: 'x', kind: 'ticker', url: 'http://a.example', lines: 501 },
      'realtime[0].lines must be a whole number from 1 to 500',
    ],
    [
      { id: 'x', kind: 'tickr' },
      'realtime[0].kind must be one of gtfs-rt, wiener-linien, trias, ojp, hafas, gbfs, ticker, secret-ticker',
    ],
  ];
  it.each(wrong)('rejects %j by name', (entry, ...messages) => {
    expect(parseRealtime([entry], []).problems.map(({ sentence }) => sentence)).toEqual(messages);
  });

  it('suggests the option for a misspelt one', () => {
    const [problem] = parseRealtime([{ id: 'x', kind: 'ticker', url: 'http://a.example', line: 5 }], []).problems;
    expect(problem?.sentence).toMatch(
      /^unknown key "realtime\[0\]\.line"; did you mean "realtime\[0\]\.lines"\? allowed are id, /,
    );
  });

  it('has its table in the document, and its areas', () => {
    expect(renderOptionTables()).toContain(
      '| `lines` | `100` | a whole number from 1 to 500 | Number of requested lines. |',
    );
    expect(findPartArea('ticker', 'ticker')).toBe('departures');
  });

  it('is polled, published, recorded and explained; if it must not be recorded, nothing is', async () => {
    const { world, requests } = await openPolledWorld();
    expect([...new Set(requests)].sort()).toEqual([
      'https://closed.example.org/?lines=100',
      'https://ticker.example.org/?lines=50',
    ]);

    const { manifest } = await readRealtimeSnapshot(world.dataDir, (await findCurrentRealtime(world.dataDir))!.id);
    expect(manifest.sources).toMatchObject([
      { id: ticker, kind: 'ticker', archive: 'full', provides: ['departures'], tally: { records: 1 } },
      { id: secret, kind: 'secret-ticker', archive: 'none', provides: ['departures', 'disruptions'] },
    ]);
    const kept = await readdir(world.dataDir, { recursive: true });
    expect(kept.filter((name) => name.includes(`source=${ticker}`))).not.toEqual([]);
    expect(kept.filter((name) => name.includes(`source=${secret}`))).toEqual([]);

    await finalise(world, '2026-03-05T12:00:00Z', '--date', DAY);
    const rows = await listRows(world, ticker);
    expect(rows[0]).toBe('t1.0 a departure 07:00 observed_actual +90 left +90');
    const { stdout } = await run(world, 'explain', 't1', '--date', DAY, '--json');
    const explained = JSON.parse(stdout) as ExplainedTrip[];
    expect(explained.map(({ source }) => source)).toEqual([ticker]);
    const [answer] = Object.values(explained[0]!.answers);
    expect(answer!.facts).toMatchObject({ part: 'ticker', status: 200 });
    expect(answer!.trips.map(({ place }) => place)).toEqual(['line 1']);

    const into = path.join(world.dataDir, 'elsewhere', 'again');
    const replayed = await run(world, 'run', 'rebuild-observations', '--date', DAY, '--into', into);
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    expect(replayed.stdout).toContain(`2 stored responses gave 1 days of observations in ${into} `);
  });
});
