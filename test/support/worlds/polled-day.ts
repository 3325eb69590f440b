import path from 'node:path';
import { loadConfig } from '../../../pipeline/config/load-config.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { pollHere } from '../../../pipeline/realtime/polling/poll-here.ts';
import type { FeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { fakeEffects } from '../../jobs/fake-world.ts';
import { live, type World } from './finalised-world.ts';

/** A Tuesday of the valid feed. */
export const POLLED_DAY = '2026-03-03';

const at = (time: string) => parseTimestamp(`${POLLED_DAY}T${time}Z`)!;

const cancelled = {
  id: 't2',
  tripUpdate: { trip: { tripId: 't2', startDate: '20260303', scheduleRelationship: 'CANCELED' } },
} as never;

/** Reports at some times of the day. The feed marks measured times: a past time with uncertainty 0 has happened. */
const messages: readonly (readonly [time: string, entity: FeedMessage['entity']])[] = [
  ['06:55:00', [update('t1', { stopSequence: 1, departure: { time: at('07:01:00') } })]],
  ['07:02:00', [update('t1', { stopSequence: 1, departure: { time: at('07:01:30'), uncertainty: 0 } })]],
  ['07:05:00', [update('t1', { stopSequence: 2, arrival: { time: at('07:12:00') } }), cancelled]],
  ['07:30:00', [cancelled]],
  ['09:00:00', []],
  ['20:00:00', []],
];

function update(tripId: string, call: object): FeedMessage['entity'][number] {
  return { id: tripId, tripUpdate: { trip: { tripId, startDate: '20260303' }, stopTimeUpdate: [call] } } as never;
}

/** Polls the source `live` once at each time of the day, as the poller does: trip t1 is late, t2 is cancelled. */
export async function pollDay({ dataDir }: World) {
  for (const [time, entity] of messages) await poll(dataDir, { time, rounds: 1 }, () => entity);
}

/** Seconds that trip t1 takes from a, 16.0° east, past b, 16.1°, to c, 16.2°. */
const JOURNEY_SECONDS = 1200;

/** Polls the positions of a vehicle on trip t1, which runs two minutes late from a to c. The source must fetch positions. */
export async function pollPositions({ dataDir }: World) {
  const start = at('07:02:00');
  await poll(dataDir, { time: '07:02:00', rounds: 44, everySeconds: 30 }, (now) => {
    if (now > start + JOURNEY_SECONDS) return [];
    const position = { latitude: 48, longitude: 16 + ((now - start) / JOURNEY_SECONDS) * 0.2 };
    const trip = { tripId: 't1', startDate: '20260303' };
    return [{ id: 'bus', vehicle: { trip, vehicle: { id: 'bus' }, position, timestamp: now } } as never];
  });
  await poll(dataDir, { time: '20:00:00', rounds: 1 }, () => []);
}

interface Polls {
  readonly time: string;
  readonly rounds: number;
  /** Further time between two rounds, which otherwise follow each other after a second. */
  readonly everySeconds?: number;
}

/** @param toEntity entities of the feed at an instant */
async function poll(
  dataDir: string,
  { time, rounds, everySeconds = 0 }: Polls,
  toEntity: (now: number) => FeedMessage['entity'],
) {
  const { config } = await loadConfig({
    file: path.join(dataDir, 'taktgeber.yaml'),
    environment: { TAKTGEBER_DATA: dataDir, TAKTGEBER_INGEST_THREADS: '1' },
    cwd: dataDir,
    home: dataDir,
  });
  const fakes = fakeEffects(`${POLLED_DAY}T${time}Z`);
  const effects = {
    ...fakes,
    log: silentLog,
    http: async () => {
      const timestamp = Math.floor(fakes.clock.nowMilliseconds() / 1000);
      const header = { gtfsRealtimeVersion: '2.0', incrementality: 'FULL_DATASET', timestamp };
      fakes.clock.set(new Date((timestamp + everySeconds) * 1000).toISOString());
      const bytes = encodeFeedMessage({ header, entity: toEntity(timestamp) } as unknown as FeedMessage);
      return {
        status: 200,
        headers: new Headers(),
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
  };
  const sources = config.realtime.filter(({ id }) => id === live);
  await pollHere({ config, sources, rounds, signal: new AbortController().signal }, effects);
}
