import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { IngestJobRequest } from '../../jobs/definitions/ingest-timetable.ts';
import type { TableReport } from '../../pipeline/model/feed-report.ts';
import { type FeedVersion, toSourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import {
  type SnapshotVersion,
  TIMETABLE_FORMAT_VERSION,
  type TimetableManifest,
} from '../../pipeline/snapshots/timetable-contract.ts';
import type { IngestOutcome } from '../../pipeline/timetable/ingest-timetable.ts';
import type { Parts } from './fake-world.ts';

export const tables: readonly TableReport[] = [
  {
    table: 'stops',
    rowsIn: 10,
    rowsOut: 9,
    refused: [{ code: 'missing_stop_id', count: 1, samples: ['row 4'] }],
    repaired: [],
  },
  {
    table: 'stop_times',
    rowsIn: 1200,
    rowsOut: 1200,
    refused: [],
    repaired: [{ code: 'time_interpolated', count: 7 }],
  },
];

export function outcome(facts: Partial<IngestOutcome> = {}): IngestOutcome {
  const feeds = [
    { sourceId: toSourceId('sample'), feedVersion: 'f1', versions: [], isUnchanged: false, tables, onDemand: [] },
  ];
  return { snapshotId: 's1', isUnchanged: false, feeds, ...facts };
}

/** An ingest with scripted results that records its requests. */
export function ingestPart(answer: IngestOutcome | Error = outcome()) {
  const requests: IngestJobRequest[] = [];
  const parts: Partial<Parts> = {
    writeSample: async () => {},
    ingestTimetable: async (request) => {
      requests.push(request);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { requests, parts };
}

/** A published timetable of one source. */
export async function publish(
  dataDir: string,
  sourceId: string,
  versions: readonly SnapshotVersion[] = [],
): Promise<void> {
  const folder = path.join(dataDir, 'snapshots', 'timetable');
  await mkdir(path.join(folder, 's0'), { recursive: true });
  await writeFile(path.join(folder, 'current.json'), '{"id": "s0"}');
  const manifest: TimetableManifest = {
    kind: 'timetable',
    formatVersion: TIMETABLE_FORMAT_VERSION,
    id: 's0',
    createdAt: '2026-03-01T02:16:00Z',
    beginDate: '2026-01-01' as ServiceDate,
    endDate: '2026-12-12' as ServiceDate,
    dataDate: '2026-03-01' as ServiceDate,
    sources: [
      {
        sourceId: toSourceId(sourceId),
        feedVersion: 'f0' as FeedVersion,
        publisherName: 'Verkehr AG',
        publishedVersion: null,
        beginDate: '2026-01-01' as ServiceDate,
        endDate: '2026-12-12' as ServiceDate,
        versions,
        fetchedAt: '2026-03-01T02:15:00Z',
        report: tables,
      },
    ],
    merges: { stations: [], trips: [], derivedContinuations: 0, problems: [] },
    rows: { stops: 9, trips: 100, times: 1200, routes: 5 },
    files: {},
  };
  await writeFile(path.join(folder, 's0', 'manifest.json'), JSON.stringify(manifest));
}
