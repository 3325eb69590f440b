import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runInChild } from './child.ts';
import type { IngestMeasures } from './ingest-bench.ts';
import { type NationalSize, provideNationalFeed } from './national-feed.ts';

/** What the subjects of a bench share. */
export interface Bench {
  readonly size: NationalSize;
  readonly tell: (line: string) => void;
  /** An empty folder that is gone when the bench ends. */
  makeFolder(): Promise<string>;
  /** The made-up national feed, ingested once: several subjects work on its snapshot. */
  national(): Promise<{ readonly dataDir: string; readonly measures: IngestMeasures }>;
}

export async function withBench<Result>(
  size: NationalSize,
  tell: (line: string) => void,
  task: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'taktgeber-bench-'));
  const makeFolder = () => mkdtemp(path.join(root, 'data-'));
  let national: ReturnType<Bench['national']> | undefined;
  const ingestNational = async () => {
    const zip = await provideNationalFeed(size, tell);
    const dataDir = await makeFolder();
    tell(`ingest of the ${size.name} feed`);
    return { dataDir, measures: await runInChild('ingest', { zip, dataDir }) };
  };
  try {
    return await task({
      size,
      tell,
      makeFolder,
      national: () => {
        national ??= ingestNational();
        return national;
      },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
