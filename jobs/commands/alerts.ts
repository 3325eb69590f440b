import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { BrokenPromise } from '../alerts/broken-promises.ts';
import type { RememberedPromise } from '../alerts/decide-alerts.ts';
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

interface AlertOptions extends CommonOptions {
  readonly test?: boolean;
  readonly json?: boolean;
}

/** A promise that is broken now. Times are ISO 8601, UTC. */
interface PromiseListing extends Omit<BrokenPromise, 'afterSeconds'> {
  /** Since when the process of the jobs sees it broken; null: it has not looked since. */
  readonly since: string | null;
  /** When it was told last; null: not yet. */
  readonly toldAt: string | null;
}

export function addAlertsCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('alerts')
    .description('Show which promises are broken now and what to do; --test tries the command and the webhook.')
    .option('--test', 'send a test by the configured command and webhook')
    .option('--json', 'print JSON')
    .action(async (options: AlertOptions) => {
      const config = await loadCommandConfig(tools, options);
      if (options.test) tools.finish(await sendTest(config, tools));
      else {
        await printPromises(config, options, tools);
        tools.finish(exitCode.done);
      }
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber alerts', 'what is broken now'],
    ['taktgeber alerts --test', 'whether alerts arrive'],
  ]);
}

async function printPromises(config: Config, options: AlertOptions, tools: CommandTools): Promise<void> {
  const { promises, unknown } = await listPromises(config, tools);
  if (options.json) return printJson(tools.io, { promises, unknown });
  for (const line of render(promises, unknown)) printLine(tools.io, line);
}

/** @returns `unknown`: kinds of promises of which nothing can be read */
async function listPromises(config: Config, { jobs, effects }: CommandTools) {
  // Imported on demand: other commands need no alerts.
  const { lookWithMemory } = await import('../alerts/look-at-promises.ts');
  const isScheduling = config.schedule.isEnabled;
  const { broken, unknown } = await lookWithMemory({ config, jobs, isScheduling, clock: effects.clock });
  return { promises: broken.map(([one, known]) => toListing(one, known)), unknown: [...unknown] };
}

function toListing(promise: BrokenPromise, known: RememberedPromise | null): PromiseListing {
  const isoTime = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());
  const { afterSeconds: _afterSeconds, ...shown } = promise;
  return { ...shown, since: isoTime(known?.brokenSince), toldAt: isoTime(known?.toldAt) };
}

function render(promises: readonly PromiseListing[], unknown: readonly string[]): string[] {
  const unread = unknown.length === 0 ? [] : [`Nothing can be read of ${unknown.join(', ')}: see "taktgeber doctor".`];
  if (promises.length === 0) return ['No promise is broken.', ...unread];
  const columns = ['PROMISE', 'OF', 'BROKEN SINCE', 'TOLD'].map((title) => ({ title }));
  const rows = promises.map(({ kind, subject, since, toldAt }) => [kind, subject, since ?? '-', toldAt ?? 'not yet']);
  return [
    ...renderTable(columns, rows),
    '',
    ...promises.flatMap(({ text, remedy }) => [text, `  ${remedy}`]),
    ...unread,
  ];
}

/** @throws UsageError where neither command nor webhook is configured */
async function sendTest(config: Config, { io, effects }: CommandTools): Promise<number> {
  const { listDeliveries, testMessage } = await import('../alerts/alert-message.ts');
  const deliveries = listDeliveries(config, effects);
  if (deliveries.length === 0) throw new UsageError('neither alerts.command nor alerts.webhook is configured');
  const json = JSON.stringify(testMessage(effects.clock.nowMilliseconds(), config.dataDir));
  let code: number = exitCode.done;
  for (const deliver of deliveries) {
    try {
      await deliver(json);
    } catch (error) {
      if (!(error instanceof ExternalError)) throw error;
      io.stderr.write(`error: ${error.message}\n`);
      code = exitCode.failed;
    }
  }
  if (code === exitCode.done) printLine(io, 'The test was taken. Look whether it has arrived.');
  return code;
}
