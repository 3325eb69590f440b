import type { Command } from 'commander';
import type { SourceConfig } from '../../pipeline/config/source-config.ts';
import type { SnapshotSource, TimetableManifest } from '../../pipeline/snapshots/contract.ts';
import {
  findCurrentStreetsId,
  findStreetsManifest,
  type StreetsManifest,
} from '../../pipeline/streets/published-streets.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
} from '../command-tools.ts';
import { exitCode } from '../exit-code.ts';
import { formatCount, renderFeedReport } from '../feed-report-lines.ts';
import { printJson, printLine } from '../io.ts';
import { findPredictionStatus, renderPredictionStatus } from '../prediction-status.ts';
import { findPublishedTimetable } from '../published-timetable.ts';
import { findRealtimeStatus, renderRealtimeStatus } from '../realtime-status.ts';
import { listJobs, renderListings } from './jobs.ts';

export function addStatusCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('status')
    .description('Show what is published, what each source brought and what of it was refused, and the last job runs.')
    .option('--json', 'print JSON')
    .option('--exit-code', 'end with 3 when nothing is published')
    .action(async (options: CommonOptions & { json?: boolean; exitCode?: boolean }) => {
      const config = await loadCommandConfig(tools, options);
      const published = await findPublishedTimetable(config.dataDir);
      const streets = await findStreets(config.dataDir);
      const realtime = await findRealtimeStatus(config, tools.effects.clock.nowMilliseconds());
      const predictions = await findPredictionStatus(config);
      const jobs = await listJobs(tools, config);
      if (options.json) {
        printJson(tools.io, { dataDir: config.dataDir, timetable: published, streets, realtime, predictions, jobs });
      } else {
        const lines = [
          `Data folder: ${config.dataDir}`,
          '',
          ...renderTimetable(published, config.sources),
          '',
          renderStreets(streets),
          '',
          ...renderRealtimeStatus(realtime),
          '',
          ...renderPredictionStatus(predictions),
          '',
          ...renderListings(jobs),
        ];
        for (const line of lines) printLine(tools.io, line);
      }
      tools.finish(options.exitCode && !published ? exitCode.nothingToDo : exitCode.done);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber status', 'for a person'],
    ['taktgeber status --json', 'for a machine'],
  ]);
}

function renderTimetable(manifest: TimetableManifest | null, configured: readonly SourceConfig[]): string[] {
  if (!manifest) return ['No timetable is published yet: "taktgeber run ingest-timetable" does it.'];
  const { stops, trips, times } = manifest.rows;
  const counts = Object.entries({ stops, trips, calls: times }).map(
    ([noun, count]) => `${formatCount(count ?? 0)} ${noun}`,
  );
  return [
    `Timetable ${manifest.id}, published ${manifest.createdAt}`,
    `Valid from ${manifest.beginDate} to ${manifest.endDate}: ${counts.join(', ')}`,
    ...manifest.sources.flatMap((source) => [
      '',
      ...renderSource(
        source,
        configured.find(({ id }) => id === source.sourceId),
      ),
    ]),
  ];
}

function renderSource(source: SnapshotSource, configured: SourceConfig | undefined): string[] {
  const credits = [configured?.name, configured?.attribution, configured?.licence].filter(Boolean).join('; ');
  return [describeSource(source), ...(credits ? [credits] : []), ...renderFeedReport(source.report)];
}

function describeSource({
  sourceId,
  feedVersion,
  fetchedAt,
  publisherName,
  beginDate,
  endDate,
}: SnapshotSource): string {
  const publisher = publisherName === null ? '' : ` by ${publisherName}`;
  const validity = beginDate === null ? '' : `, valid from ${beginDate} to ${endDate ?? 'an unknown day'}`;
  return `Source ${sourceId}${publisher}: feed version ${feedVersion}, fetched ${fetchedAt}${validity}`;
}

async function findStreets(dataDir: string): Promise<StreetsManifest | null> {
  const id = await findCurrentStreetsId(dataDir);
  return id === null ? null : findStreetsManifest(dataDir, id);
}

function renderStreets(manifest: StreetsManifest | null): string {
  if (!manifest) return 'No street graph is published: walks are straight lines. "taktgeber build-streets" builds one.';
  const { id, source, createdAt } = manifest;
  return `Street graph ${id} of ${source.name}, published ${createdAt}; © OpenStreetMap contributors, ODbL`;
}
