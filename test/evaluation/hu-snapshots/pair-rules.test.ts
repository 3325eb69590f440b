import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { chooseSnapshotPairs } from './build-snapshot-features.ts';
import { type HuTexts, writeHuFiles } from './hu-files.ts';
import { loadHuSnapshots } from './hu-snapshots-layout.ts';

let db: Duckdb;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-hu-'));
  db = await openDuckdb({ threads: 1 });
});

afterAll(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

/** Pairs as `current truth horizon`, minutes. */
async function listPairs(texts: HuTexts, testFrom = '2026-01-10'): Promise<string[]> {
  const files = await writeHuFiles(db, folder, '2026-01-10', texts);
  const date = (text: string) => text as ServiceDate;
  const window = { from: date('2026-01-09'), testFrom: date(testFrom), testTo: date('2026-01-12') };
  const table = await loadHuSnapshots(db, files.data, files.companions, window);
  const { count, current, truth, horizonSeconds } = chooseSnapshotPairs(table);
  return Array.from({ length: count }, (_, pair) =>
    [current[pair]!, truth[pair]!, horizonSeconds[pair]!].map((seconds) => seconds / 60).join(' '),
  );
}

const finals = 't 09:00 | A* 07:00 -/1 | B* 07:10 2/3 | C* 07:20 4/0 | D* 07:30 5/-';

describe('pairs of snapshots', () => {
  it.each<[string, HuTexts, string[]]>([
    [
      'start from the departure of the last stop with a delay',
      { snapshots: 't 07:12 | A 07:00 -/1 | B 07:10 2/3 | C 07:20 0/0 | D 07:30 0/-', finals },
      ['3 4 8', '3 5 18'],
    ],
    [
      'start from its arrival while no departure is reported',
      { snapshots: 't 07:12 | A 07:00 -/1 | B 07:10 2/0 | C 07:20 0/0 | D 07:30 0/-', finals },
      ['2 4 8', '2 5 18'],
    ],
    [
      'start from 0 without any delay, and then any stop may come',
      { snapshots: 't 07:09 | A 07:00 -/0 | B 07:10 0/0 | C 07:20 0/0 | D 07:30 0/-', finals },
      ['0 2 1', '0 4 11', '0 5 21'],
    ],
    [
      'are none before the first departure',
      { snapshots: 't 06:59 | A 07:00 -/0 | B 07:10 0/0 | C 07:20 0/0 | D 07:30 0/-', finals },
      [],
    ],
    [
      'leave out what had arrived, however late it was reported',
      { snapshots: 't 07:24 | A 07:00 -/1 | B 07:10 2/3 | C 07:20 0/0 | D 07:30 0/-', finals },
      ['3 5 6'],
    ],
    [
      'look 90 minutes ahead and 60 back, both included',
      {
        snapshots: 't 07:30 | A 06:00 -/1 | B 06:29 0/0 | C 06:30 0/0 | D 09:00 0/0 | E 09:01 0/-',
        finals: 't 11:00 | A* 06:00 -/1 | B* 06:29 90/90 | C* 06:30 90/90 | D* 09:00 5/5 | E* 09:01 5/-',
      },
      ['1 90 -60', '1 5 90'],
    ],
    [
      'take a final 0 up to the last delay, and nothing behind it',
      {
        snapshots: 't 07:02 | A 07:00 -/1 | B 07:10 0/0 | C 07:20 0/0 | D 07:30 0/-',
        finals: 't 09:00 | A* 07:00 -/1 | B* 07:10 0/0 | C* 07:20 4/0 | D* 07:30 0/-',
      },
      ['1 0 8', '1 4 18'],
    ],
    [
      'take what was observed of a trip without any delay',
      {
        snapshots: 't 07:02 | A 07:00 -/0 | B 07:10 0/0 | C 07:20 0/0 | D 07:30 0/-',
        finals: 't 07:25 | A* 07:00 -/0 | B* 07:10 0/0 | C* 07:20 0/0 | D 07:30 0/-',
      },
      ['0 0 8', '0 0 18'],
    ],
    [
      'know a stop again whose list has lost its beginning, and put its day right',
      {
        snapshots: 't 07:12 | A 07:00 -/1 | B 07:10 2/3 | C 07:20 0/0 | D 07:30 0/-',
        finals: 't 09:00 | B +07:10 2/3 | C* 07:20 4/0 | D* 07:30 5/-',
      },
      ['3 4 8', '3 5 18'],
    ],
    [
      'go by the first stop that the list still has',
      {
        snapshots: `t 07:09 | B +07:10 0/0 | C 07:20 0/0 | D 07:30 0/-
          t 07:10 | B +07:10 0/0 | C 07:20 0/0 | D 07:30 0/-`,
        finals,
      },
      ['0 2 0', '0 4 10', '0 5 20'],
    ],
  ])('%s', async (_, texts, expected) => {
    expect(await listPairs(texts)).toEqual(expected);
  });

  it('leave out stations abroad: those whose final values before the test are all 0', async () => {
    const texts = {
      snapshots: 't 07:12 | A 07:00 -/1 | B 07:10 2/3 | Wien 07:20 0/0 | D 07:30 0/-',
      finals: 't 09:00 | A* 07:00 -/1 | B* 07:10 2/3 | Wien* 07:20 0/0 | D* 07:30 5/-',
    };
    expect(await listPairs(texts, '2026-01-11')).toEqual(['3 5 18']);
    // Nothing lies before this test, so nothing is known to be abroad.
    expect(await listPairs(texts, '2026-01-10')).toEqual(['3 0 8', '3 5 18']);
  });
});
