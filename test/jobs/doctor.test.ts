import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkNode } from '../../jobs/doctor/check-machine.ts';
import type { Finding } from '../../jobs/doctor/finding.ts';
import { writeBackupRecord } from '../../jobs/last-backup.ts';
import { acquireLocks } from '../../jobs/locks/job-lock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Http } from '../../pipeline/effects/http.ts';
import { fetchHttp, HttpStatusError } from '../../pipeline/effects/http.ts';
import { formatFile } from '../../pipeline/lake/data-format.ts';
import { startFakeMvo } from '../support/fakes/mvo-platform.ts';
import { startStubTrino } from '../support/fakes/stub-trino.ts';
import { ingestPart, publish } from './fake-ingest.ts';
import { fakeEffects, NOW, runCommand, temporaryFolder } from './fake-world.ts';

interface Setting {
  readonly config?: string;
  readonly http?: Http;
  readonly dataDir?: string;
  readonly effects?: ReturnType<typeof fakeEffects>;
  readonly options?: readonly string[];
}

async function examine({ config, http, dataDir, effects: given, options = ['--port', '0'] }: Setting) {
  const folder = dataDir ?? (await temporaryFolder());
  if (config !== undefined) await writeFile(path.join(folder, 'taktgeber.yaml'), config);
  const effects = { ...(given ?? fakeEffects()), ...(http ? { http } : {}) };
  const { code, stdout } = await runCommand(['doctor', '--json', ...options], { dataDir: folder, effects });
  const findings = (JSON.parse(stdout) as { findings: readonly Finding[] }).findings;
  return { code, find: (about: string) => findings.find((one) => one.about === about) };
}

/** Answers every request with this text. */
function answering(body: string, date = NOW): Http {
  return async () => ({
    status: 200,
    headers: new Headers({ date: new Date(date).toUTCString() }),
    body: (async function* () {
      yield Buffer.from(body, 'latin1');
    })(),
  });
}

const zip = 'sources: [{id: a, gtfs: "http://a.example/a.zip"}]\n';
const counted =
  'realtime: [{id: vao, kind: hafas, profile: vao, stops: [1], dailyBudget: 1, endpoint: "http://a.example/mgate", key: k}]\n';

describe('doctor', () => {
  it('finds no problem in a new folder, and says how to start', async () => {
    const dataDir = await temporaryFolder();
    const { code, stdout } = await runCommand(['doctor', '--port', '0'], { dataDir });
    expect(code).toBe(0);
    expect(stdout).toContain('What to do next:\n');
    expect(stdout).toContain('data folder: fill it with "taktgeber up"');
    expect(stdout).toContain('backup: run "taktgeber backup --to <folder>" daily');
  });

  it('names the lines of a broken configuration, and checks nothing else', async () => {
    const { code, find } = await examine({ config: 'host: x\nprot: 1\n' });
    expect(code).toBe(1);
    expect(find('configuration')).toMatchObject({
      status: 'bad',
      sentence: expect.stringMatching(/taktgeber\.yaml:2: unknown key "prot"; did you mean "port"\?/),
    });
    expect(find('disk')).toBeUndefined();
  });

  it('refuses a folder of a newer program', async () => {
    const dataDir = await temporaryFolder();
    await writeFile(formatFile(dataDir), '{"format": 99}');
    const { code, find } = await examine({ dataDir });
    expect(code).toBe(1);
    expect(find('data folder')).toMatchObject({ status: 'bad', remedy: 'install the newer program' });
    expect(find('timetable')).toBeUndefined();
  });

  it('distinguishes its own port from one that another program uses', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const options = ['--port', String(port)];
    const about = `port ${port}`;
    expect((await examine({ options, http: answering('{}') })).find(about)).toMatchObject({
      status: 'good',
      sentence: `a running taktgeber answers on 127.0.0.1:${port}`,
    });
    expect((await examine({ options })).find(about)).toMatchObject({
      status: 'bad',
      sentence: expect.stringContaining('is taken, and'),
    });
  });

  it('says which service runs the jobs', async () => {
    const dataDir = await temporaryFolder();
    const lock = await acquireLocks(dataDir, 'service', ['service'], fakeEffects().clock);
    onTestFinished(() => lock.release());
    const { find } = await examine({ dataDir });
    expect(find('data folder')?.sentence).toContain(`process ${process.pid} on `);
  });
});

describe('a source', () => {
  const refused: Http = async ({ url }) => {
    throw new HttpStatusError(url, 403);
  };
  const cases: readonly [what: string, setting: Setting, expected: Partial<Finding>][] = [
    ['of a zip', { config: zip, http: answering('PK\x03\x04') }, { status: 'good', sentence: 'responds with a zip' }],
    [
      'of a page',
      { config: zip, http: answering('<html>') },
      { status: 'bad', remedy: 'open the address of a in a browser' },
    ],
    ['that refuses', { config: zip, http: refused }, { status: 'bad', remedy: 'check the key of the source' }],
    ['that is away', { config: zip }, { status: 'bad', sentence: 'http://a.example/a.zip cannot be reached' }],
    [
      'that is a missing file',
      { config: 'sources: [{id: a, gtfs: none.zip}]\n' },
      { status: 'bad', remedy: 'put the feed there, or correct sources[].gtfs of a' },
    ],
    [
      'of realtime with another response',
      { config: 'realtime: [{id: a, kind: gtfs-rt, alerts: "http://a.example/a.pb"}]\n', http: answering('<html>') },
      { status: 'bad', remedy: 'check the address and the kind of the source' },
    ],
    [
      'that is paused',
      { config: 'realtime: [{id: a, kind: gtfs-rt, standby: true, alerts: "http://a.example/a.pb"}]\n' },
      { status: 'good', sentence: 'paused by the configuration, not checked' },
    ],
  ];
  it.each(cases)('%s', async (_what, setting, expected) => {
    expect((await examine(setting)).find('source a')).toMatchObject(expected);
  });

  it('of kind mvo is checked with its account', async () => {
    const fake = await startFakeMvo();
    fake.dataSets.set(66, { name: 'Railway (GTFS)', files: new Map([[2026, Buffer.from('PK')]]) });
    fake.dataSets.set(57, { name: 'Tyrol (GTFS)', files: new Map([[2026, Buffer.from('PK')]]) });
    fake.accepted.add(66);
    const { url, tokenUrl, clientId, user, password } = fake.settings;
    const account = { url, tokenUrl, clientId, user };
    const sources = [66, 57, 99].map((dataSet) => ({ id: `s${dataSet}`, kind: 'mvo', dataSet }));
    const check = (mvo: object) => examine({ config: JSON.stringify({ mvo, sources }), http: fetchHttp });

    const { find } = await check({ ...account, password });
    expect(find('account mvo')).toMatchObject({ status: 'good' });
    expect(find('source s66')).toMatchObject({ status: 'good', sentence: 'data set 66 answers with a zip of 2026' });
    expect(find('source s57')?.sentence).toMatch(/^the MVO platform denies the account data set 57 "Tyrol \(GTFS\)"/);
    expect(find('source s99')?.sentence).toMatch(/no data set 99: it has 66 "Railway \(GTFS\)", 57 "Tyrol \(GTFS\)"/);

    const wrong = await check({ ...account, password: 'wrong' });
    expect(wrong.find('account mvo')).toMatchObject({
      status: 'bad',
      sentence: 'the MVO platform refuses user or password (401); check mvo.user and mvo.password',
    });
    const none = await check({ url, tokenUrl });
    expect(none.find('account mvo')?.sentence).toContain('need an account');
    expect(none.find('source s66')).toMatchObject({
      status: 'good',
      sentence: 'data set 66 has a file of 2026, which needs the account',
    });
  });

  it('whose requests are counted is asked within its budget', async () => {
    const dataDir = await temporaryFolder();
    const requests: string[] = [];
    const http: Http = async ({ url }) => {
      requests.push(url);
      return answering('{}')({ url, timeoutSeconds: 1, maxBytes: 1 });
    };
    await examine({ dataDir, config: counted, http });
    const { find } = await examine({ dataDir, config: counted, http });
    expect(find('source vao')).toMatchObject({ sentence: 'its requests for today are used up' });
    expect(requests).toHaveLength(1);
  });

  it('reports whether the clock is right', async () => {
    const right = await examine({ config: zip, http: answering('PK', '2026-03-01T12:00:20Z') });
    expect(right.find('clock')).toMatchObject({ status: 'good' });
    const wrong = await examine({ config: zip, http: answering('PK', '2026-03-01T12:05:00Z') });
    expect(wrong.find('clock')).toMatchObject({
      status: 'bad',
      sentence: 'the clock is 300 s behind the servers of the sources',
    });
  });

  it('is skipped with --offline', async () => {
    const { find } = await examine({ config: zip, options: ['--offline', '--port', '0'] });
    expect([find('source a'), find('clock')]).toEqual([undefined, undefined]);
  });
});

describe('the parts of several machines', () => {
  it.each([
    ['watches', 'watches: {postgresUrl: "postgres://u:secret@127.0.0.1:1/x"}', 'watches.postgresUrl'],
    ['Iceberg catalog', 'iceberg: {catalogPostgresUrl: "postgres://u:secret@127.0.0.1:1/x"}', 'catalogPostgresUrl'],
    ['Trino', 'engine: trino\ntrino: {url: "http://127.0.0.1:1"}', 'engine: duckdb'],
  ])('are checked: %s', async (about, config, remedy) => {
    const { code, find } = await examine({ config });
    expect(code).toBe(1);
    expect(find(about)).toMatchObject({
      status: 'bad',
      sentence: expect.stringMatching(/^(?!.*secret).*ECONNREFUSED/),
      remedy: expect.stringContaining(remedy),
    });
  });

  it('pass if Trino has the tables of the lake', async () => {
    const trino = await startStubTrino(() => ({ columns: { Table: 'varchar' }, pages: [[['stop_events']]] }));
    const { find } = await examine({ config: `engine: trino\ntrino: {url: "${trino.url}"}` });
    expect(find('Trino')).toMatchObject({ status: 'good' });
    expect(trino.statements.map(({ sql }) => sql)).toEqual(['show tables from "iceberg".lake']);
  });

  it('include an object store with half of its credentials', async () => {
    const { code, find } = await examine({ config: 'store: {url: "s3://bucket/folder", accessKeyId: a}' });
    expect(code).toBe(1);
    expect(find('object store')).toMatchObject({ status: 'bad', remedy: expect.stringContaining('store.*') });
  });
});

describe('expectations', () => {
  it('include that jobs succeed', async () => {
    const dataDir = await temporaryFolder();
    const { parts } = ingestPart(new ExternalError('http_unreachable', 'the feed cannot be reached'));
    await runCommand(['run', 'ingest-timetable'], { dataDir, parts });
    const { find } = await examine({ dataDir });
    expect(find('job_failing ingest-timetable')).toMatchObject({
      status: 'bad',
      sentence: expect.stringContaining('the feed cannot be reached'),
    });
  });

  it.each([
    ['2026-03-01T00:00:00Z', 'good'],
    ['2026-02-20T00:00:00Z', 'warning'],
  ])('include a recent backup: %s is %s', async (takenAt, status) => {
    const dataDir = await temporaryFolder();
    await mkdir(path.join(dataDir, 'state'));
    await writeBackupRecord(dataDir, { id: 'b', store: '/backups', takenAt });
    expect((await examine({ dataDir })).find('backup')).toMatchObject({ status });
  });

  it.each([
    ['2026-11-01T00:00:00Z', undefined],
    ['2026-12-10T00:00:00Z', 'The timetable of wien ends on 2026-12-12'],
    ['2026-12-20T00:00:00Z', 'The timetable of wien ended on 2026-12-12'],
  ])('include a timetable that does not end soon: at %s', async (now, sentence) => {
    const dataDir = await temporaryFolder();
    await publish(dataDir, 'wien');
    const { find } = await examine({ dataDir, effects: fakeEffects(now) });
    expect(find('timetable')).toMatchObject({ status: 'good', sentence: 's0 runs until 2026-12-12' });
    expect(find('timetable_ending wien')?.sentence).toEqual(sentence && expect.stringContaining(sentence));
  });
});

it.each([
  ['20.19.2', 'warning'],
  ['22.20.0', 'good'],
  ['24.21.0', 'good'],
])('Node %s is %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
});
