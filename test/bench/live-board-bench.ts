import type { Board } from '../../api/contract/definitions.ts';
import { encodeBoard } from '../../api/engine/boards/boards.ts';
import { openRealtime, type Published } from '../../api/engine/read/realtime.ts';
import { createReferences, REFERENCE_KEY_BYTES } from '../../api/engine/read/references.ts';
import { openTimetable } from '../../api/engine/read/timetable.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { readRealtimeSnapshot } from '../../pipeline/snapshots/realtime-files.ts';
import { readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import type { LiveBoardInput } from './child-tasks.ts';
import { quantile } from './metric.ts';
import { BENCH_NOW, listRequestedStops } from './national-questions.ts';

export interface LiveBoardMeasures {
  /** Milliseconds. */
  readonly staticP50: number;
  readonly liveP50: number;
  /** Ratio of board throughput with realtime to that without. */
  readonly speedRatio: number;
  /** Share of rows with realtime. */
  readonly liveShare: number;
}

const ROUNDS = 6;
const QUESTIONS = 1000;
const DEPARTURES = 30;
const DURATION_MINUTES = 60;
/** Boards begin at most this long after now, so that realtime is fresh for all of them. */
const BEGIN_SECONDS = 600;

/** Measures the same boards without and with realtime alternately, each made as the service makes those that are not cached. */
export async function measureLiveBoards({
  dataDir,
  timetableId,
  realtimeId,
}: LiveBoardInput): Promise<LiveBoardMeasures> {
  const timetable = openTimetable(await readTimetableSnapshot(dataDir, timetableId));
  const realtime = openRealtime(await readRealtimeSnapshot(dataDir, realtimeId), null);
  const getStaticBoard = openBoards({ timetable, realtime: null });
  const getLiveBoard = openBoards({ timetable, realtime });
  const stops = listRequestedStops(timetable, QUESTIONS)
    .map(({ id }) => id)
    .filter((id) => isFull(getStaticBoard(id, 0)) && isFull(getLiveBoard(id, 0)));
  if (stops.length === 0) throw new Error('no stop of the timetable has a full board');
  const times = { static: [] as number[], live: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const instants = stops.map((_, i) => (i + round * stops.length) % BEGIN_SECONDS);
    const [first, second] = [
      measureRound(stops, instants, getStaticBoard),
      measureRound(stops, instants, getLiveBoard),
    ];
    // The first round warms up.
    if (round === 0) continue;
    times.static.push(...first);
    times.live.push(...second);
  }
  const rows = stops.flatMap((id) => listDepartures(getLiveBoard(id, 0)));
  return {
    staticP50: quantile(times.static.sort(byNumber), 0.5),
    liveP50: quantile(times.live.sort(byNumber), 0.5),
    speedRatio: sum(times.static) / sum(times.live),
    liveShare: rows.filter(({ departure }) => departure.isRealtime).length / rows.length,
  };
}

type GetBoard = (stopId: string, begin: number) => Buffer;

/** Each has separate references, so that the second does not reuse those that the first has encrypted. */
function openBoards(published: Published): GetBoard {
  const references = createReferences(new Uint8Array(REFERENCE_KEY_BYTES).fill(1));
  const context = { published, references, instant: BENCH_NOW };
  return (stopId, begin) => {
    const time = (BENCH_NOW + begin) as Instant;
    return encodeBoard(context, stopId, { durationMinutes: DURATION_MINUTES, limit: DEPARTURES, time }, 'departures');
  };
}

function listDepartures(board: Buffer): Board['departures'] {
  return (JSON.parse(board.toString()) as Board).departures;
}

function isFull(board: Buffer): boolean {
  return listDepartures(board).length === DEPARTURES;
}

function measureRound(stops: readonly string[], instants: readonly number[], getBoard: GetBoard): number[] {
  return stops.map((id, i) => {
    const started = performance.now();
    getBoard(id, instants[i]!);
    return performance.now() - started;
  });
}

function byNumber(a: number, b: number): number {
  return a - b;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
