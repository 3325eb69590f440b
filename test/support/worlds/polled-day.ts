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
  const { config } = await loadConfig({
    file: path.join(dataDir, 'taktgeber.yaml'),
    environment: { TAKTGEBER_DATA: dataDir, TAKTGEBER_INGEST_THREADS: '1' },
    cwd: dataDir,
    home: dataDir,
  });
  for (const [time, entity] of messages) {
    const header = { gtfsRealtimeVersion: '2.0', incrementality: 'FULL_DATASET', timestamp: at(time) };
    const bytes = encodeFeedMessage({ header, entity } as unknown as FeedMessage);
    const effects = {
      ...fakeEffects(`${POLLED_DAY}T${time}Z`),
      log: silentLog,
      http: async () => ({
        status: 200,
        headers: new Headers(),
        body: (async function* () {
          yield bytes;
        })(),
      }),
    };
    const sources = config.realtime.filter(({ id }) => id === live);
    await pollHere({ config, sources, rounds: 1, signal: new AbortController().signal }, effects);
  }
}
