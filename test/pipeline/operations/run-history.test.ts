import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openOperations, openOperationsToRead, operationsFile } from '../../../pipeline/operations/open-operations.ts';
import { openRunHistory } from '../../../pipeline/operations/run-history.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { describeHistory, START } from './history-cases.ts';

describeHistory(async () => {
  const clock = fixedClock(START);
  const history = await openRunHistory({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => history.close());
  return { history, clock };
});

const effects = { clock: fixedClock(START), log: silentLog };
const settingsOf = (dataDir: string) => ({ dataDir, operations: { postgresUrl: null } });

test('reading an empty data folder writes nothing', async () => {
  const dataDir = await temporaryFolder();
  const history = await openOperationsToRead(settingsOf(dataDir), effects);
  expect(await history.listRuns('a', 10)).toEqual([]);
  await history.close();
  expect(await readdir(dataDir)).toEqual([]);
});

test('reports a file that is not a database, and one of a newer program', async () => {
  const dataDir = await temporaryFolder();
  await mkdir(path.dirname(operationsFile(dataDir)));
  await writeFile(operationsFile(dataDir), 'no database at all, but long enough to be taken for one'.repeat(100));
  await expect(openOperationsToRead(settingsOf(dataDir), effects)).rejects.toMatchObject({
    code: 'operations_store_failed',
    message: expect.stringMatching(
      /^the file of the runs of jobs: .*; move .*operations\.sqlite away to start a new history$/,
    ),
  });
});

describe('records of an earlier version', () => {
  const lastRun = {
    startedAt: START,
    endedAt: '2026-03-01T12:00:09.000Z',
    attempts: 1,
    summary: 'all is well',
    details: {},
  };

  async function dataDirWith(records: Readonly<Record<string, unknown>>): Promise<string> {
    const dataDir = await temporaryFolder();
    await mkdir(path.join(dataDir, 'locks'));
    for (const [name, record] of Object.entries(records)) {
      await writeFile(path.join(dataDir, 'locks', name), typeof record === 'string' ? record : JSON.stringify(record));
    }
    return dataDir;
  }

  async function listTaken(dataDir: string) {
    const history = await openOperations(settingsOf(dataDir), effects);
    const runs = await history.listRuns('a', 10);
    await history.close();
    return runs.map(({ state, startedAt, endedAt, summary }) => [state, startedAt, endedAt, summary]);
  }

  test('become the first runs, and are removed', async () => {
    const dataDir = await dataDirWith({
      'a.json': { job: 'a', lastRun: { ...lastRun, status: 'done' }, lastSuccessAt: lastRun.endedAt },
      'a.lock': '{}',
    });
    const runs = [['done', START, lastRun.endedAt, 'all is well']];
    expect(await listTaken(dataDir)).toEqual(runs);
    expect(await readdir(path.join(dataDir, 'locks'))).toEqual(['a.lock']);
    expect(await listTaken(dataDir)).toEqual(runs);
  });

  test('of a failed run keep the last success', async () => {
    const before = '2026-02-28T12:00:00.000Z';
    const dataDir = await dataDirWith({
      'a.json': { job: 'a', lastRun: { ...lastRun, status: 'failed' }, lastSuccessAt: before },
    });
    expect(await listTaken(dataDir)).toEqual([
      ['failed', START, lastRun.endedAt, 'all is well'],
      ['done', before, before, null],
    ]);
  });

  test.each([
    ['{"lastRun": {'],
    ['[]'],
    ['{}'],
    [{ lastRun: { ...lastRun, status: 'flying' } }],
    [{ lastRun: { startedAt: 7 } }],
  ])('that are damaged are ignored: %j', async (record) => {
    const dataDir = await dataDirWith({ 'a.json': record });
    expect(await listTaken(dataDir)).toEqual([]);
    expect(await readdir(path.join(dataDir, 'locks'))).toEqual([]);
  });
});
