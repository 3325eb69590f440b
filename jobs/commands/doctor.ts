import process from 'node:process';
import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { bad, type Examined, type Finding } from '../doctor/finding.ts';
import { exitCode } from '../job/exit-code.ts';
import { renderTable } from '../job/text-table.ts';
import {
  addCommonOptions,
  addExamples,
  addListenOptions,
  type CommandTools,
  type CommonOptions,
  readCommandConfig,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

interface DoctorOptions extends CommonOptions {
  readonly offline?: boolean;
  readonly json?: boolean;
}

export function addDoctorCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('doctor')
    .description('Check configuration, disk, clock, port, sources and data, and suggest what to do next.')
    .option('--offline', 'send no request to the sources')
    .option('--json', 'print JSON')
    .action(async (options: DoctorOptions) => {
      const findings = await examine(options, tools);
      if (options.json) printJson(tools.io, { findings });
      else for (const line of renderFindings(findings)) printLine(tools.io, line);
      tools.finish(findings.some(({ status }) => status === 'bad') ? exitCode.failed : exitCode.done);
    });
  addExamples(addListenOptions(addCommonOptions(command)), [
    ['taktgeber doctor', 'before the first start, and when something is wrong'],
    ['taktgeber doctor --offline --json', 'without requests, for programs'],
  ]);
}

async function examine(options: DoctorOptions, tools: CommandTools): Promise<Finding[]> {
  let config: Config;
  try {
    config = await readCommandConfig(tools, options);
  } catch (error) {
    // Without a configuration nothing else can be looked at.
    if (!(error instanceof UsageError)) throw error;
    return error.message.split('\n').map((sentence) => bad('configuration', sentence, suggestCorrection(sentence)));
  }
  const examined: Examined = { config, effects: tools.effects, signal: tools.io.interrupt };
  return [
    { about: 'configuration', status: 'good', sentence: 'can be read', remedy: null },
    ...(await examineAll(examined, options, tools)),
  ];
}

/** Most variables that a configuration names are accounts and keys. */
function suggestCorrection(sentence: string): string {
  const variable = /names the variable (\w+), which is not set$/.exec(sentence)?.[1];
  return variable === undefined ? 'correct it there' : `set ${variable} in the environment of taktgeber`;
}

async function examineAll(examined: Examined, options: DoctorOptions, tools: CommandTools): Promise<Finding[]> {
  // Imported on demand: the checks load the kinds of sources, which the help of other commands does not need.
  const machine = await import('../doctor/check-machine.ts');
  const checks = await import('../doctor/check-alerts.ts');
  const { checkStore } = await import('../doctor/check-store.ts');
  const { checkParts } = await import('../doctor/check-parts.ts');
  const { checkOperations } = await import('../doctor/check-operations.ts');
  const { checkPackages } = await import('../doctor/check-packages.ts');
  const data = await machine.checkDataFolder(examined);
  const packages = await checkPackages();
  const findings = [machine.checkNode(process.versions.node), ...(packages ? [packages] : [])];
  findings.push(data, await machine.checkDisk(examined));
  findings.push(await machine.checkPort(examined), ...machine.checkProxies(tools.io.environment));
  if (!options.offline) {
    const { checkClock, checkSources } = await import('../doctor/check-sources.ts');
    tools.effects.log.progress('checking the sources');
    const sources = await checkSources(examined);
    findings.push(...checkClock(sources.skewsSeconds), ...sources.findings);
  }
  // The content of an unusable folder is not checked.
  if (data.status === 'bad') return findings;
  findings.push(
    await checks.checkTimetable(examined),
    ...(await checks.checkFeeds(examined)),
    ...(await checks.checkFiringAlerts(examined, tools.jobs)),
    await checks.checkBackup(examined),
    ...(await checkOperations(examined)),
    ...(options.offline ? [] : [...(await checkParts(examined)), ...(await checkStore(examined))]),
  );
  return findings;
}

function renderFindings(findings: readonly Finding[]): string[] {
  const signs = { good: 'ok', warning: 'WARNING', bad: 'BAD' };
  const columns = ['', 'CHECK', 'FOUND'].map((title) => ({ title }));
  const rows = findings.map(({ about, status, sentence }) => [signs[status], about, sentence]);
  const remedies = findings.flatMap(({ about, remedy }) => (remedy === null ? [] : [`${about}: ${remedy}`]));
  const next = remedies.length === 0 ? ['Nothing to do.'] : ['What to do next:', ...remedies.map((one) => `  ${one}`)];
  return [...renderTable(columns, rows), '', ...next];
}
