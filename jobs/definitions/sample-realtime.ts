import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import { parseRealtime } from '../../pipeline/config/realtime-config.ts';
import { samplePublishers } from '../../pipeline/sample/feed/publishers.ts';
import { SHARING_PATH } from '../../pipeline/sample/upstream/gbfs.ts';
import { sampleCredit, sampleIds, sampleSourceOf, sampleTimetableId } from './sample-sources.ts';

/** Stations whose boards are polled: some in Styria, and the major ones elsewhere. */
const triasStops = ['at:46:graz', 'at:46:graz-jakominiplatz', 'at:46:leoben'];
const hafasStops = ['490134900', 'at:44:linz', 'at:45:salzburg', 'at:47:innsbruck'];

/** Configuration of the simulated upstreams, which are polled over HTTP like any other. */
export function sampleRealtime(baseUrl: string): readonly ConfiguredSource[] {
  const entries = [
    ...samplePublishers.map((publisher) => ({
      id: sampleSourceOf(publisher),
      kind: 'gtfs-rt',
      tripUpdates: `${baseUrl}/gtfs-rt/${publisher}/trip-updates.pb`,
      vehiclePositions: `${baseUrl}/gtfs-rt/${publisher}/vehicle-positions.pb`,
      alerts: `${baseUrl}/gtfs-rt/${publisher}/alerts.pb`,
    })),
    { id: sampleIds.wienerLinien, kind: 'wiener-linien', url: `${baseUrl}/ogd_realtime` },
    {
      id: sampleIds.trias,
      kind: 'trias',
      url: `${baseUrl}/trias`,
      requestorRef: 'taktgeber-sample',
      stops: triasStops,
    },
    {
      id: sampleIds.hafas,
      kind: 'hafas',
      profile: 'vao',
      endpoint: `${baseUrl}/hafas/mgate`,
      key: 'taktgeber-sample',
      stops: hafasStops,
      remarks: true,
      dailyBudget: 20_000,
    },
    { id: sampleIds.sharing, kind: 'gbfs', url: `${baseUrl}${SHARING_PATH}/gbfs.json` },
  ];
  const all = entries.map((entry) => ({ ...entry, timetable: sampleTimetableId, ...sampleCredit }));
  const { realtime, problems } = parseRealtime(all, [sampleTimetableId]);
  if (problems.length > 0) throw new Error(`invalid configuration of the sample: ${JSON.stringify(problems)}`);
  return realtime;
}
