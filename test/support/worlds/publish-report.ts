import { createReferences } from '../../../api/engine/read/references.ts';
import type { TripPrediction } from '../../../pipeline/model/prediction.ts';
import { publishRealtime } from '../../../pipeline/snapshots/publish-realtime.ts';
import { loadTimetable, TEST_KEY } from './board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from './live-reports.ts';
import { openLiveWorld } from './live-world.ts';

interface PublishedReport {
  /** Delay of the first departure of `soundFeed` on 2026-03-03, below 60. */
  readonly minutes: number;
  /** Time of report and publication. */
  readonly nowMilliseconds: number;
  readonly forecasts?: readonly TripPrediction[];
}

/** Publishes realtime for the timetable of a folder, as a poller does. @returns id of the snapshot */
export async function publishReport(
  dataDir: string,
  { minutes, nowMilliseconds, forecasts = [] }: PublishedReport,
): Promise<string> {
  const timetable = await loadTimetable(dataDir);
  const live = await openLiveWorld({ timetable, realtime: null, references: createReferences(TEST_KEY) });
  const departure = timeOf(`2026-03-03T08:${String(minutes).padStart(2, '0')}:00+01:00`);
  const trip = tripOf('t1', { startDate: '2026-03-03' as never });
  const reportedAt = `${new Date(nowMilliseconds).toISOString().slice(0, 19)}Z`;
  live.report('rt', reportedAt, { trips: [reportOf(trip, { calls: [callOf(stopOf('a'), { departure })] })] });
  live.forecast(forecasts);
  const { manifest, tables } = live.at(reportedAt).realtime!;
  const { sources, models } = manifest;
  const published = { timetableId: timetable.manifest.id, sources, models, tables };
  return publishRealtime(dataDir, published, nowMilliseconds, 3);
}
