import { rm } from 'node:fs/promises';
import { formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import { realtimeSnapshotsFolder } from '../../pipeline/snapshots/realtime-files.ts';
import { findCurrentTimetableId } from '../../pipeline/snapshots/timetable-files.ts';
import type { Bench } from './bench.ts';
import { runInChild, startInChild } from './child.ts';
import type { LiveBoardMeasures } from './live-board-bench.ts';
import { type Metric, median } from './metric.ts';
import { BENCH_NOW, boardPath, readRequestedStops } from './national-questions.ts';
import type { MarkedSnapshot, StateMeasures } from './realtime-state-bench.ts';
import { SWAP_REQUESTS, type SwapMeasures } from './swap-bench.ts';

const SNAPSHOTS = 8;
/** Warm-up: a cold service cannot keep up with a constant request rate. */
const WARM_UP_SECONDS = 6;
/** Boards begin at most this long after now. */
const BEGIN_SECONDS = 600;

/** Measures the realtime of a country: from received bytes to the published snapshot, its swap, and boards with it. */
export async function benchRealtime(bench: Bench): Promise<Metric[]> {
  const { dataDir } = await bench.national();
  const timetableId = await findCurrentTimetableId(dataDir);
  if (timetableId === null) throw new Error(`no snapshot is published in ${dataDir}`);
  try {
    bench.progress(`realtime of ${bench.size.runningTrips} trips, five rounds of two messages each`);
    const { runningTrips } = bench.size;
    const workDir = await bench.makeFolder();
    const input = { dataDir, timetableId, workDir, runningTrips, markedSnapshots: SNAPSHOTS };
    const state = await runInChild('realtime_state', input);
    bench.progress('boards in process, without and with realtime in turns');
    const realtimeId = state.snapshots.at(-1)!.id;
    const boards = await runInChild('live_boards', { dataDir, timetableId, realtimeId });
    const standstills = await runInChild('standstills', { dataDir, snapshots: state.snapshots });
    const swaps = await swapUnderLoad(bench, dataDir, state.snapshots);
    return [...toStateMetrics(bench, state), ...toSwapMetrics(swaps, standstills), ...toBoardMetrics(boards)];
  } finally {
    // Other subjects measure without realtime.
    await rm(realtimeSnapshotsFolder(dataDir), { recursive: true, force: true });
  }
}

async function swapUnderLoad(
  bench: Bench,
  dataDir: string,
  snapshots: readonly MarkedSnapshot[],
): Promise<SwapMeasures> {
  const stopIds = await readRequestedStops(dataDir, SWAP_REQUESTS);
  bench.progress('swaps of realtime under a steady load, a minute');
  const api = await startInChild('api', { dataDir });
  try {
    const { origin } = api.result;
    const paths = stopIds.map(boardUrl);
    await runInChild('load_generator', { origin, paths, seconds: WARM_UP_SECONDS });
    return await runInChild('swap_load', { origin, dataDir, snapshots, paths });
  } finally {
    await api.stop();
  }
}

/** Alternates between a board that may be cached since the last swap and one that is not. */
function boardUrl(stopId: string, i: number): string {
  if (i % 2 === 0) return boardPath(stopId);
  const time = formatTimestamp((BENCH_NOW + (i % BEGIN_SECONDS)) as Instant, 'Europe/Vienna');
  return `${boardPath(stopId)}?time=${encodeURIComponent(time)}`;
}

// ---- Metrics -----------------------------------------------------------------------------------

function toStateMetrics({ size }: Bench, state: StateMeasures): Metric[] {
  const { steps, callCount } = state;
  const seconds = (milliseconds: number) => milliseconds / 1000;
  const rate = (name: string, milliseconds: number): Metric => {
    return { name: `realtime: ${name}`, value: size.runningTrips / seconds(milliseconds), unit: 'trips/s' };
  };
  const { decode, normalise, applyFirst, applySecond, journalFirst, journalSecond, build, publish } = steps;
  const poll = decode + normalise + applySecond + journalSecond + build + publish;
  return [
    { name: 'realtime: trips of a message', value: size.runningTrips, unit: '' },
    { name: 'realtime: calls of a message', value: callCount, unit: '' },
    { name: 'realtime: size of a message', value: state.messageBytes / 1e6, unit: 'MB' },
    rate('decoded', decode),
    rate('normalised', normalise),
    rate('matched and applied, first message', applyFirst),
    rate('matched and applied, a tenth changed', applySecond),
    { name: 'realtime: observations to the journal, first message', value: seconds(journalFirst), unit: 's' },
    { name: 'realtime: observations to the journal, a tenth changed', value: seconds(journalSecond), unit: 's' },
    { name: 'realtime: tables built', value: seconds(build), unit: 's' },
    { name: 'realtime: written and published', value: seconds(publish), unit: 's' },
    {
      name: 'realtime: snapshot built and published',
      value: seconds(build + publish),
      unit: 's',
      target: { atMost: 2 },
    },
    { name: 'realtime: snapshot, size', value: state.snapshotBytes / 1e6, unit: 'MB' },
    { name: 'realtime: a poll, from bytes to published, a tenth changed', value: seconds(poll), unit: 's' },
  ];
}

function toSwapMetrics({ calm, swapping }: SwapMeasures, standstills: readonly number[]): Metric[] {
  const [calmWorst, worst] = [Math.max(...calm.slowest), Math.max(...swapping.slowest)];
  const usual = median(swapping.slowest) - median(calm.slowest);
  return [
    {
      name: 'realtime swap: event loop stands still, median',
      value: median(standstills),
      unit: 'ms',
      target: { atMost: 20 },
    },
    { name: 'realtime swap: event loop stands still, worst', value: Math.max(...standstills), unit: 'ms' },
    { name: 'realtime swap: slowest request without a swap', value: calmWorst, unit: 'ms' },
    { name: `realtime swap: slowest request around ${swapping.slowest.length} swaps`, value: worst, unit: 'ms' },
    {
      name: 'realtime swap: extra delay of the slowest',
      value: Math.max(0, worst - calmWorst),
      unit: 'ms',
      target: { atMost: 20 },
    },
    { name: 'realtime swap: extra delay, median', value: Math.max(0, usual), unit: 'ms', target: { atMost: 20 } },
    { name: 'realtime swap: p99 without, worst round', value: calm.p99, unit: 'ms' },
    { name: 'realtime swap: p99 with, worst round', value: swapping.p99, unit: 'ms' },
    {
      name: 'realtime swap: published to first seen, worst',
      value: Math.max(...swapping.seenAfter) / 1000,
      unit: 's',
      target: { atMost: 1 },
    },
    { name: 'realtime swap: answers that show realtime', value: swapping.live, unit: '' },
    {
      name: 'realtime swap: answers of two snapshots',
      value: calm.mixed + swapping.mixed,
      unit: '',
      target: { atMost: 0 },
    },
  ];
}

function toBoardMetrics({ staticP50, liveP50, speedRatio, liveShare }: LiveBoardMeasures): Metric[] {
  return [
    { name: 'board of 30 departures without realtime: p50', value: staticP50, unit: 'ms' },
    { name: 'board of 30 departures with realtime: p50', value: liveP50, unit: 'ms' },
    { name: 'board speed with realtime, share of without', value: speedRatio, unit: '', target: { atLeast: 0.8 } },
    { name: 'board rows with a live time', value: liveShare * 100, unit: '%' },
  ];
}
