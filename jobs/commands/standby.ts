import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { isSourceId, type SourceId } from '../../pipeline/model/ids.ts';
import { assertKnown, listRealtimeIds } from '../definitions/realtime-sources.ts';
import { exitCode } from '../job/exit-code.ts';
import { renderTable } from '../job/text-table.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

interface StandbyOptions extends CommonOptions {
  readonly json?: boolean;
}

/** Standby state of a source. */
interface StandbyListing {
  readonly source: SourceId;
  readonly isStandby: boolean;
  /** Last change of the switch, ISO 8601 UTC; null: as configured. */
  readonly since: string | null;
}

export function addStandbyCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('standby')
    .description('Pause or resume a realtime source; without a source, show the state of all.')
    .argument('[source]', 'id of a realtime source')
    .argument('[switch]', 'on: it is not polled; off: it is polled again')
    .option('--json', 'print JSON')
    .action(async (source: string | undefined, turned: string | undefined, options: StandbyOptions) => {
      const config = await loadCommandConfig(tools, options, { isWriter: true });
      if (source !== undefined) await turnSwitch(source, turned, config, tools);
      await printListings(config, options, tools);
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber standby', 'the state of all sources'],
    ['taktgeber standby vao on', 'stop polling it, within seconds'],
    ['taktgeber standby vao off', 'resume polling'],
  ]);
}

async function turnSwitch(
  source: string,
  turned: string | undefined,
  config: Config,
  { effects }: CommandTools,
): Promise<void> {
  if (turned !== 'on' && turned !== 'off') throw new UsageError('add on or off after the source');
  if (!isSourceId(source)) throw new UsageError(`"${source}" cannot name a source: use a-z, 0-9, "_" and "-"`);
  assertKnown(source, listRealtimeIds(config));
  const { setStandby } = await import('../../pipeline/realtime/polling/standby.ts');
  await setStandby(config.dataDir, source, turned === 'on', effects.clock.nowMilliseconds());
}

async function printListings(config: Config, { json }: StandbyOptions, { io }: CommandTools): Promise<void> {
  const { readStandby } = await import('../../pipeline/realtime/polling/standby.ts');
  const switches = await readStandby(config.dataDir);
  const listings = listRealtimeIds(config).map((source): StandbyListing => {
    const configured = config.realtime.find(({ id }) => id === source)?.isStandby ?? false;
    return {
      source,
      isStandby: switches[source]?.isStandby ?? configured,
      since: switches[source]?.since ?? null,
    };
  });
  if (json) return printJson(io, { standby: listings });
  if (listings.length === 0) return printLine(io, 'No realtime source is configured.');
  const rows = listings.map(({ source, isStandby, since }) => [
    source,
    isStandby ? 'on' : 'off',
    since ?? 'as configured',
  ]);
  for (const line of renderTable([{ title: 'SOURCE' }, { title: 'STANDBY' }, { title: 'SINCE' }], rows)) {
    printLine(io, line);
  }
}
