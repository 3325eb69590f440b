import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runInChild } from './child.ts';
import type { IngestMeasures } from './ingest-bench.ts';
import { type NationalSize, provideNationalFeed } from './national-feed.ts';
import { trainSample } from './sample-children.ts';

/** Resources shared by the benchmark subjects. */
export interface Bench {
  readonly size: NationalSize;
  /** Whether other planners are measured that need more than npm. */
  readonly hasPeers: boolean;
  readonly progress: (line: string) => void;
  /** Creates an empty folder that is deleted when the benchmark ends. */
  makeFolder(): Promise<string>;
  /** Ingests the generated national feed once, since several subjects use its snapshot. */
  national(): Promise<{ readonly dataDir: string; readonly measures: IngestMeasures }>;
  /** Trains models on past days of the sample once, since several subjects use them. @returns the data folder */
  sample(): Promise<string>;
}

/** Past days of the sample that models are trained on; and the minimum from which transfers are learnt. */
const LEARNT_DAYS = 14;
const QUICK_LEARNT_DAYS = 10;

export async function withBench<Result>(
  { size, hasPeers }: Pick<Bench, 'size' | 'hasPeers'>,
  progress: (line: string) => void,
  task: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'taktgeber-bench-'));
  const makeFolder = () => mkdtemp(path.join(root, 'data-'));
  let national: ReturnType<Bench['national']> | undefined;
  const ingestNational = async () => {
    const zip = await provideNationalFeed(size, progress);
    const dataDir = await makeFolder();
    progress(`ingest of the ${size.name} feed`);
    return { dataDir, measures: await runInChild('ingest', { zip, dataDir }) };
  };
  let sample: ReturnType<Bench['sample']> | undefined;
  const openSample = async () => {
    const days = size.name === 'national' ? LEARNT_DAYS : QUICK_LEARNT_DAYS;
    const dataDir = await makeFolder();
    progress(`models trained on ${days} days of the sample`);
    await trainSample(dataDir, days);
    return dataDir;
  };
  try {
    return await task({
      size,
      hasPeers,
      progress,
      makeFolder,
      national: () => {
        national ??= ingestNational();
        return national;
      },
      sample: () => {
        sample ??= openSample();
        return sample;
      },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
