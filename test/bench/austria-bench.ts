import type { TableReport } from '../../pipeline/model/feed-report.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { readTimetableManifest } from '../../pipeline/snapshots/timetable-files.ts';
import type { IngestOutcome } from '../../pipeline/timetable/ingest-timetable.ts';
import { type Counts, compareCounts, expectCounts } from './austria-counts.ts';
import { provideAustria } from './austria-feed.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { AustriaInput } from './child-tasks.ts';
import { ingestSources } from './ingest-bench.ts';
import type { Metric } from './metric.ts';
import { quickSize } from './national-feed.ts';
import type { Quantiles } from './planner-speed.ts';

interface AustriaMeasures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly counts: Counts;
}

const QUICK_SHARE = 0.1;

/** Measures the ingest of the whole country as nine publishers publish it, and boards and trips from its snapshot. */
export async function benchAustria(bench: Bench): Promise<Metric[]> {
  const share = bench.size === quickSize ? QUICK_SHARE : 1;
  const zips = await provideAustria(share, bench.progress);
  const expected = expectCounts(zips.map(({ feed }) => feed));
  const dataDir = await bench.makeFolder();
  bench.progress('ingest of nine feeds');
  const feeds = zips.map(({ feed: { plan }, zip }) => ({ id: plan.id, zip, repairs: plan.repairs }));
  const measures = await runInChild('austria', { dataDir, feeds });
  const wrong = compareCounts(expected, measures.counts);
  for (const sentence of wrong) bench.progress(`WRONG: ${sentence}`);
  bench.progress('boards of the country');
  const { boards } = await runInChild('boards', { dataDir });
  bench.progress('trips in the country');
  const { page } = await runInChild('planner_national', { dataDir });
  return [
    ...toIngestMetrics(measures),
    ...toCountMetrics(measures.counts, wrong),
    ...toQuantileMetrics('austria: board of 30 departures, computed afresh', boards, { p99: 2 }),
    ...toQuantileMetrics('austria: a page of 4 trips', page, { p50: 150, p99: 600 }),
  ];
}

function toIngestMetrics({ seconds, cpuSeconds, peakBytes, counts }: AustriaMeasures): Metric[] {
  return [
    { name: 'austria: rows of stop_times', value: sumUp(counts, 'stop_times rows'), unit: '' },
    { name: 'austria: trips', value: sumUp(counts, 'trips rows'), unit: '' },
    { name: 'austria: ingest of nine feeds, time', value: seconds, unit: 's', target: { atMost: 60 } },
    { name: 'austria: ingest of nine feeds, processor time', value: cpuSeconds, unit: 's' },
    { name: 'austria: ingest, peak memory', value: peakBytes / 1e9, unit: 'GB', target: { atMost: 2 } },
  ];
}

function toCountMetrics(counts: Counts, wrong: readonly string[]): Metric[] {
  const names = [...new Set(Object.keys(counts).map((name) => name.split(': ').at(-1)!))];
  const ofFeeds = names.filter((name) => !name.endsWith(' rows'));
  return [
    ...ofFeeds
      .filter((name) => sumUp(counts, name) > 0)
      .map((name) => {
        return { name: `austria: ${name}`, value: sumUp(counts, name), unit: '' };
      }),
    { name: 'austria: counts other than generated', value: wrong.length, unit: '', target: { atMost: 0 } },
  ];
}

function sumUp(counts: Counts, of: string): number {
  return Object.entries(counts).reduce((sum, [name, count]) => sum + (name.split(': ').at(-1) === of ? count : 0), 0);
}

function toQuantileMetrics(name: string, quantiles: Quantiles, targets: Partial<Quantiles>): Metric[] {
  return (['p50', 'p95', 'p99'] as const).map((quantile) => {
    const atMost = targets[quantile];
    const target = atMost === undefined ? {} : { target: { atMost } };
    return { name: `${name}: ${quantile}`, value: quantiles[quantile], unit: 'ms', ...target };
  });
}

/** Ingests all feeds with the repairs that `docs/austria.md` configures for them. */
export async function measureAustria({ dataDir, feeds }: AustriaInput): Promise<AustriaMeasures> {
  const sources = feeds.map(({ id, zip, repairs }) => ({ id: toSourceId(id), location: zip, repairs }));
  const { outcome, ...measures } = await ingestSources(sources, dataDir);
  return { ...measures, counts: await countIngest(outcome, dataDir) };
}

/** Counts rows, refused and repaired rows of all feeds, and what was merged. */
export async function countIngest({ snapshotId, feeds }: IngestOutcome, dataDir: string): Promise<Counts> {
  const failures = feeds.flatMap(({ failure }) => failure ?? []);
  if (snapshotId === null || failures.length > 0) throw new Error(`the ingest failed: ${failures.join('; ')}`);
  const { merges } = await readTimetableManifest(dataDir, snapshotId);
  const merged = (['stations', 'trips'] as const).flatMap((kind) =>
    merges[kind].map(({ rule, count }) => [`merged ${kind} by ${rule}`, count] as const),
  );
  return Object.fromEntries([...feeds.flatMap(({ sourceId, tables }) => countFeed(sourceId, tables)), ...merged]);
}

function countFeed(sourceId: string, tables: readonly TableReport[]): (readonly [string, number])[] {
  return tables.flatMap(({ table, rowsIn, refused, repaired }) => [
    ...(table === 'stop_times' || table === 'trips' ? [[`${sourceId}: ${table} rows`, rowsIn] as const] : []),
    ...[...refused, ...repaired].map(({ code, count }) => [`${sourceId}: ${table} ${code}`, count] as const),
  ]);
}
