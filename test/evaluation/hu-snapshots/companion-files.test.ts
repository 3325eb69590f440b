import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runEvaluation } from '../run-evaluation.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-hu-'));
  for (const name of ['hu_snapshots_lonely.parquet', 'other.parquet']) await writeFile(path.join(folder, name), '');
});

afterAll(() => rm(folder, { recursive: true }));

const window = ['--from', '2024-12-13', '--test-from', '2024-12-18', '--test-to', '2024-12-19'];
const run = (data: string, layout: string, ...more: string[]) =>
  runEvaluation(['--data', path.join(folder, data), '--layout', layout, ...window, ...more], folder);

describe('companion files of snapshots', () => {
  it.each([
    ['hu_snapshots_lonely.parquet', 'hu_snapshots', [], 'hu_final_lonely.parquet'],
    ['other.parquet', 'hu_snapshots', [], '--finals is needed'],
    ['other.parquet', 'hu_snapshots', ['--finals', 'nowhere.parquet'], '--finals: there is no file'],
    ['other.parquet', 'pl_rail', ['--finals', 'other.parquet'], '--finals belongs to the layout hu_snapshots'],
    ['other.parquet', 'pl_rail', ['--positions', 'other.parquet'], '--positions belongs to the layout hu_snapshots'],
  ])('refuses %s as %s with %j: %s', async (data, layout, more, complaint) => {
    const { code, stderr } = await run(data, layout, ...more);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
  });
});
