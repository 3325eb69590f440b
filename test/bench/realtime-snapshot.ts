import type { Instant } from '../../pipeline/model/service-time.ts';
import { createRealtimeState } from '../../pipeline/realtime/state/realtime-state.ts';
import { REALTIME_FORMAT_VERSION, type RealtimeSnapshot } from '../../pipeline/snapshots/realtime-contract.ts';
import { readRealtimeBytes, writeRealtimeBytes } from '../../pipeline/snapshots/realtime-files.ts';
import type { TimetableSnapshot } from '../../pipeline/snapshots/timetable-contract.ts';
import { decodeFeedMessage } from '../../pipeline/sources/gtfs-rt/decode-feed-message.ts';
import { normaliseFeed } from '../../pipeline/sources/gtfs-rt/normalise-feed.ts';
import type { Traffic, TrafficChange } from './national-traffic.ts';
import { assertAllTaken, benchSource, benchSourceState, openBenchMatcher, rulesAt } from './realtime-state-bench.ts';

/** Builds the realtime that the service would read for this traffic, without publishing it. */
export async function buildRealtime(
  timetable: TimetableSnapshot,
  traffic: Traffic,
  now: Instant,
  change: TrafficChange = 'none',
): Promise<RealtimeSnapshot> {
  const matcher = await openBenchMatcher(timetable);
  const state = createRealtimeState([benchSource], { tables: timetable.tables, matcher });
  const messages = { 'trip-updates': traffic.writeTripUpdates(now, change), news: traffic.writeNews(now) };
  for (const [part, bytes] of Object.entries(messages)) {
    const update = normaliseFeed(decodeFeedMessage(bytes, benchSource.id), rulesAt(now));
    assertAllTaken(state.apply(benchSource.id, { part, fetchedAt: now, update }), update.problems.length);
  }
  const manifest = {
    kind: 'realtime' as const,
    formatVersion: REALTIME_FORMAT_VERSION,
    id: 'bench',
    timetableId: timetable.manifest.id,
    createdAt: new Date(now * 1000).toISOString(),
    sources: [benchSourceState],
    models: [],
  };
  return readRealtimeBytes(writeRealtimeBytes({ manifest, tables: state.build(now) }), 'of the bench');
}
