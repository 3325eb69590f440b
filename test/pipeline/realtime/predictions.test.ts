import { beforeEach, describe, expect, it } from 'vitest';
import type { TripPrediction } from '../../../pipeline/model/prediction.ts';
import { clock, DAY, type LiveLine, openLiveLine, tripRow } from './live-line.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine(['one', 'two']);
});

function prediction(tripId: string, over: Partial<TripPrediction> = {}): TripPrediction {
  return {
    tripKey: line.timetable.trips.key[tripRow(line.timetable, tripId)] ?? 1n,
    day: DAY,
    sourceId: 'one',
    position: 1,
    observedAt: clock('08:12'),
    delaySeconds: 60,
    channel: 'stop_events',
    low: Int16Array.of(30, 20),
    median: Int16Array.of(60, 70),
    high: Int16Array.of(120, 150),
    ...over,
  };
}

/** `bus@1 08:12 +60 from one: 30/60/120 20/70/150` */
function show(at: string, ...predictions: readonly TripPrediction[]): string[] {
  const { predictions: reported, predictedCalls } = line.state.build(clock(at), predictions);
  return Array.from(reported.trip, (trip, row) => {
    const calls = Array.from({ length: reported.callCount[row]! }, (_, i) => {
      const call = reported.firstCall[row]! + i;
      return [predictedCalls.low[call], predictedCalls.median[call], predictedCalls.high[call]].join('/');
    });
    const seconds = reported.observedAt[row]! - clock('08:00');
    return `${line.timetable.trips.tripId.get(trip)}@${reported.position[row]} ${seconds} +${reported.delaySeconds[row]} ${reported.source[row]}: ${calls.join(' ')}`;
  });
}

describe('published predictions', () => {
  it('include all later calls, sorted by trip and day', () => {
    const expected = ['bus@1 720 +60 0: 30/60/120 20/70/150', 'late@1 720 +60 0: 30/60/120 20/70/150'];
    const sorted = [prediction('bus'), prediction('late')].sort((a, b) => Number(a.tripKey - b.tripKey));
    expect(show('08:13', ...sorted).sort()).toEqual(expected);
    expect(show('08:13', ...sorted.reverse())).toEqual(show('08:13', ...sorted));
  });

  it.each<[reason: string, at: string, over: Partial<TripPrediction>, count: number]>([
    ['at exactly eight minutes', '08:20', {}, 1],
    ['not when older', '08:20:01', {}, 0],
    ['not without a later call', '08:13', { position: 3, ...emptyCalls() }, 0],
    ['not of a source without a request', '08:13', { sourceId: 'three' }, 0],
    ['not for a trip outside the timetable', '08:13', { tripKey: 12n }, 0],
    ['not if the calls of the trip have changed', '08:13', { position: 2 }, 0],
  ])('%s', (_reason, at, over, count) => {
    expect(show(at, prediction('bus', over))).toHaveLength(count);
  });

  it.each<[reason: string, one: string, two: string, expected: number]>([
    ['the newer observation counts', '08:12', '08:13', 1],
    ['with equal age the first source', '08:13', '08:13', 0],
  ])('of two sources %s', (_reason, one, two, expected) => {
    const reported = [
      prediction('bus', { sourceId: 'two', observedAt: clock(two) }),
      prediction('bus', { observedAt: clock(one) }),
    ];
    const { predictions } = line.state.build(clock('08:14'), reported);
    expect([...predictions.source]).toEqual([expected]);
  });
});

function emptyCalls() {
  return { low: new Int16Array(), median: new Int16Array(), high: new Int16Array() };
}

it('include transfer models of each source in turn', () => {
  const models = { two: Uint8Array.of(1, 2, 3), three: Uint8Array.of(9), one: Uint8Array.of(4, 5) };
  const tables = line.state.build(clock('08:14'), [], new Map(Object.entries(models)));
  expect(tables.transferModels).toEqual({
    source: Uint8Array.of(1, 0),
    firstByte: Int32Array.of(0, 3),
    byteCount: Int32Array.of(3, 2),
  });
  expect(tables.transferModelBytes.byte).toEqual(Uint8Array.of(1, 2, 3, 4, 5));
});
