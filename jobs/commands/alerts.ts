import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { AlertState } from '../alerts/decide-notifications.ts';
import type { ActiveAlert } from '../alerts/evaluate-alerts.ts';
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

/** An alert that is active now. Times are ISO 8601, UTC. */
interface AlertListing extends Omit<ActiveAlert, 'afterSeconds'> {
  /** Since when the service has seen it active; null: it has not checked since. */
  readonly since: string | null;
  /** When it was last sent; null: not yet. */
  readonly notifiedAt: string | null;
}

export function addAlertsCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('alerts')
    .description('Show the alerts that are firing now and what to do; --test tries the command and the webhook.')
    .option('--test', 'send a test to the configured command and webhook')
    .option('--json', 'print JSON')
    .action(async (options: AlertOptions) => {
      const config = await loadCommandConfig(tools, options);
      if (options.test) tools.finish(await sendTest(config, tools));
      else {
        await printAlerts(config, options, tools);
        tools.finish(exitCode.done);
      }
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber alerts', 'what is wrong now'],
    ['taktgeber alerts --test', 'whether alerts arrive'],
  ]);
}

async function printAlerts(config: Config, options: AlertOptions, tools: CommandTools): Promise<void> {
  const { alerts, unknown } = await listAlerts(config, tools);
  if (options.json) return printJson(tools.io, { alerts, unknown });
  for (const line of render(alerts, unknown)) printLine(tools.io, line);
}

/** @returns `unknown`: kinds of alerts whose facts cannot be read */
async function listAlerts(config: Config, { jobs, effects }: CommandTools) {
  // Imported on demand: other commands need no alerts.
  const { listActiveAlerts } = await import('../alerts/check-alerts.ts');
  const isScheduling = config.schedule.isEnabled;
  const { active, unknown } = await listActiveAlerts({ config, jobs, isScheduling, clock: effects.clock });
  return { alerts: active.map(([one, known]) => toListing(one, known)), unknown: [...unknown] };
}

function toListing(alert: ActiveAlert, known: AlertState | null): AlertListing {
  const isoTime = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());
  const { afterSeconds: _afterSeconds, ...shown } = alert;
  return { ...shown, since: isoTime(known?.activeSince), notifiedAt: isoTime(known?.notifiedAt) };
}

function render(alerts: readonly AlertListing[], unknown: readonly string[]): string[] {
  const unread = unknown.length === 0 ? [] : [`Cannot evaluate ${unknown.join(', ')}. Run "taktgeber doctor".`];
  if (alerts.length === 0) return ['No alert is firing.', ...unread];
  const columns = ['ALERT', 'OF', 'SINCE', 'SENT'].map((title) => ({ title }));
  const rows = alerts.map(({ kind, subject, since, notifiedAt }) => [
    kind,
    subject,
    since ?? '-',
    notifiedAt ?? 'not yet',
  ]);
  return [...renderTable(columns, rows), '', ...alerts.flatMap(({ text, remedy }) => [text, `  ${remedy}`]), ...unread];
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
  if (code === exitCode.done) printLine(io, 'The test was accepted. Check that it arrived.');
  return code;
}
