import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { terminalLog } from '../../../../pipeline/effects/log.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { findSpentBudget, spendBudget } from '../../../../pipeline/realtime/polling/daily-budget.ts';

const vao = toSourceId('vao');
const limit = { requests: 2, zone: 'Europe/Vienna' };

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-budget-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

let logged = '';
const log = terminalLog({
  write: (text) => {
    logged += text;
  },
});

const spend = (dataDir: string, time: string, source = vao) =>
  spendBudget(dataDir, source, limit, parseTimestamp(time)!, { log });

const findSpent = (dataDir: string) => findSpentBudget(dataDir, vao, parseTimestamp('2026-03-02T12:00:00Z')!);

const budgetFile = (dataDir: string) => path.join(dataDir, 'realtime', 'budgets', 'vao.json');

async function withFile(content: string): Promise<string> {
  const dataDir = await dataFolder();
  await mkdir(path.dirname(budgetFile(dataDir)), { recursive: true });
  await writeFile(budgetFile(dataDir), content);
  return dataDir;
}

it('counts on disk, so that a restart grants nothing back', async () => {
  const dataDir = await dataFolder();
  expect(await findSpent(dataDir)).toBeNull();
  expect(await spend(dataDir, '2026-03-02T08:00:00+01:00')).toBeNull();
  expect(await findSpent(dataDir)).toEqual({ date: '2026-03-02', used: 1 });
  expect(await spend(dataDir, '2026-03-02T08:00:30+01:00')).toBeNull();
  expect(await spend(dataDir, '2026-03-02T08:01:00+01:00')).toBe('budget_spent');
  expect(await findSpent(dataDir)).toEqual({ date: '2026-03-02', used: 2 });
  expect(await spend(dataDir, '2026-03-02T08:01:00+01:00', toSourceId('other'))).toBeNull();
});

describe('a new day begins at midnight of the zone of the source', () => {
  const cases: readonly [title: string, date: string, time: string, refusal: string | null][] = [
    ['a second before', '2026-03-02', '2026-03-02T23:59:59+01:00', 'budget_spent'],
    ['at midnight', '2026-03-02', '2026-03-03T00:00:00+01:00', null],
    ['still yesterday in UTC', '2026-07-02', '2026-07-02T22:00:00Z', null],
    ['in the night of the clock change', '2026-03-28', '2026-03-28T23:00:00Z', null],
    ['a clock set back does not grant a second day', '2026-03-03', '2026-03-02T12:00:00+01:00', 'budget_spent'],
  ];
  it.each(cases)('%s', async (_title, date, time, refusal) => {
    const dataDir = await withFile(JSON.stringify({ date, used: 2 }));
    expect(await spend(dataDir, time)).toBe(refusal);
  });
});

describe('a clock that is set to another day', () => {
  it.each([
    ['2100-01-01', 'of a single day'],
    ['2026-03-04', 'of two days ahead'],
  ])('and back: counts of %s are reported and ignored, also in a file of the older format %s', async (date) => {
    const dataDir = await withFile(JSON.stringify({ date, used: 2 }));
    expect(await findSpent(dataDir)).toBeNull();
    logged = '';
    expect(await spend(dataDir, '2026-03-02T12:00:00Z')).toBeNull();
    expect(logged).toContain(`vao: 2 requests are counted under ${date}, which is in the future; they are ignored`);
    expect(await findSpent(dataDir)).toEqual({ date: '2026-03-02', used: 1 });
    logged = '';
    expect(await spend(dataDir, '2026-03-02T12:01:00Z')).toBeNull();
    expect(logged).toBe('');
  });

  it('finds the previous count, so that a jump adds at most one limit', async () => {
    const dataDir = await dataFolder();
    const times = ['2026-03-02T12:00:00Z', '2027-03-02T12:00:00Z', '2026-03-02T12:00:00Z', '2016-03-02T12:00:00Z'];
    const sent = [];
    for (const time of [...times, '2026-03-02T12:00:00Z']) {
      for (let request = 0; request < 5; request++)
        if ((await spend(dataDir, time)) === null) sent.push(time.slice(0, 4));
    }
    expect(sent).toEqual(['2026', '2026', '2027', '2027', '2016', '2016']);
  });
});

describe('an unreadable budget blocks all requests', () => {
  const contents = ['', '{', 'null', '[]', '{"date":"2026-03-02"}', '{"date":"2026-03-02","used":-1}'];
  const more = ['{"date":"2026-03-02","used":"1"}', '{"date":"2026-02-30","used":1}', '{"date":1,"used":1}'];
  it.each([...contents, ...more])('%j', async (content) => {
    const dataDir = await withFile(content);
    expect(await spend(dataDir, '2026-03-05T12:00:00Z')).toBe('budget_unusable');
    // Only an operator can repair it.
    expect(await readFile(budgetFile(dataDir), 'utf8')).toBe(content);
  });

  it('a folder in its place', async () => {
    const dataDir = await dataFolder();
    await mkdir(budgetFile(dataDir), { recursive: true });
    expect(await spend(dataDir, '2026-03-05T12:00:00Z')).toBe('budget_unusable');
  });

  it('an unwritable budget blocks them too', async () => {
    const dataDir = await dataFolder();
    await writeFile(path.join(dataDir, 'realtime'), 'a file where a folder should be');
    expect(await spend(dataDir, '2026-03-05T12:00:00Z')).toBe('budget_unusable');
  });
});
