import { mkdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { Command, Option } from 'commander';
import { addExamples } from '../../jobs/commands/command-tools.ts';
import { type Io, orInterrupted, printError, printJson, printLine } from '../../jobs/commands/io.ts';
import { exitCode } from '../../jobs/job/exit-code.ts';
import type { Duckdb } from '../../pipeline/effects/duckdb.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { createTemporaryFolderName, sweepTemporaryFolders } from '../../pipeline/effects/temporary-folders.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { parseServiceDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { UnfitWindowError } from '../../pipeline/predictions/model/share-out-days.ts';
import { checkFile, findCompanions } from './find-companions.ts';
import {
  type CompanionFiles,
  type EvaluationStep,
  type EvaluationWindow,
  type Layout,
  type LayoutName,
  layoutNames,
  type RecordLayout,
  recordLayouts,
} from './layout.ts';
import { renderDelayMetrics } from './render-delay-metrics.ts';

/**
 * Kinds of forecasts: of delays, and of transfers that are made; delays on the first days of a source; the training of
 * the priors by which these are predicted; and what final forecasts of a source add to its observed times.
 */
const tasks = ['delays', 'transfers', 'first-days', 'prior', 'final-forecasts'] as const;

/** Layout of the recorded answers of Kingston. */
const RECORDING = 'kingston';

interface EvaluateOptions {
  readonly task: (typeof tasks)[number];
  readonly data: string;
  readonly layout: LayoutName | RecordLayout | typeof RECORDING;
  readonly kingston?: string;
  readonly finals?: string;
  readonly positions?: string;
  readonly from?: string;
  readonly testFrom?: string;
  readonly testTo?: string;
  readonly json?: boolean;
  readonly ablation?: boolean;
}

/** Time and memory of an evaluation. */
interface Cost {
  /** Seconds of each step, by unit in the order of the units. */
  readonly seconds: Readonly<Record<EvaluationStep, readonly number[]>>;
  /** Peak memory of the process. */
  readonly peakMegabytes: number;
}

/** Memory limit of the engine; beyond it work is spilled to disk. */
const ENGINE_MEMORY = '700MB';

/** What an evaluation uses of its process. */
interface EvaluationTools {
  readonly io: Io;
  readonly effects: Effects;
}

/**
 * Runs one command line of `npm run evaluate`.
 * @param argv arguments after the program's name
 * @returns the exit code; errors are printed to stderr
 */
export async function evaluate(argv: readonly string[], tools: EvaluationTools): Promise<number> {
  const { stdout, stderr } = tools.io;
  try {
    const command = buildCommand((options) => runEvaluate(options, tools))
      .exitOverride()
      .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
    await command.parseAsync([...argv], { from: 'user' });
    return exitCode.done;
  } catch (error) {
    return printError(error, tools.io);
  }
}

function buildCommand(run: (options: EvaluateOptions) => Promise<void>): Command {
  const command = new Command('npm run evaluate --')
    .description('Evaluate predictions on an archive of delays: train before the test period, predict all of it.')
    .requiredOption(
      '--data <file>',
      'Parquet file; of a made-up city its style: toronto_like, kingston_like; of Kingston the folder of the recording',
    )
    .addOption(
      new Option('--layout <name>', 'layout of the file')
        .choices([...new Set([...layoutNames, ...recordLayouts, RECORDING])])
        .makeOptionMandatory(),
    )
    .option('--from <date>', 'first service date that is read; of all layouts but kingston')
    .option('--test-from <date>', 'first service date that is predicted; training uses the dates before it')
    .option('--test-to <date>', 'last service date that is predicted')
    .addOption(new Option('--task <name>', 'what is predicted').choices(tasks).default('delays'))
    .option('--finals <file>', 'final values of hu_snapshots; default: hu_final_... next to hu_snapshots_...')
    .option('--positions <file>', 'live positions of hu_snapshots; default: all hu_live_positions_*.parquet next to it')
    .option('--kingston <folder>', 'recording of Kingston, for --task prior')
    .option('--json', 'print JSON')
    .option('--ablation', 'also train without each group of features')
    .action(run);
  addExamples(command, [
    [
      'npm run evaluate -- --task transfers --data delays.parquet --layout pl_rail --from 2025-03-24 --test-from 2025-05-05 --test-to 2025-05-18',
      'probabilities that transfers between trains are made',
    ],
    [
      'npm run evaluate -- --data delays.parquet --layout pl_rail --from 2025-03-24 --test-from 2025-05-05 --test-to 2025-05-18',
      'train on six weeks, predict two',
    ],
    [
      'npm run evaluate -- --data hu_snapshots_2024-12-13_19.parquet --layout hu_snapshots --from 2024-12-13 --test-from 2024-12-18 --test-to 2024-12-19',
      'live snapshots; with final values and positions in the same folder',
    ],
  ]);
  return command;
}

async function runEvaluate(options: EvaluateOptions, tools: EvaluationTools): Promise<void> {
  const { io } = tools;
  checkTask(options);
  const file = path.resolve(io.cwd, options.data);
  if (options.task === 'final-forecasts') {
    await orInterrupted(evaluateForecastTask(file, options, tools), io.interrupt);
    return;
  }
  const window = readWindow(options);
  if (options.task === 'first-days' || options.task === 'prior') {
    await orInterrupted(runColdStart({ file, companions: undefined, window, options }, tools), io.interrupt);
    return;
  }
  await checkFile('--data', file);
  const companions = await findCompanions(file, options, io.cwd);
  const evaluation = { file, companions, window, options };
  const run = options.task === 'transfers' ? evaluateTransferTask : evaluateDelays;
  await orInterrupted(run(evaluation, tools), io.interrupt);
}

/** What is to be evaluated. */
interface Evaluation {
  readonly file: string;
  readonly companions: CompanionFiles | undefined;
  readonly window: EvaluationWindow;
  readonly options: EvaluateOptions;
}

async function evaluateDelays(evaluation: Evaluation, tools: EvaluationTools): Promise<void> {
  const { companions, file, window, options } = evaluation;
  const { buildPredictionMetrics } = await import('../../pipeline/predictions/measured/build-prediction-metrics.ts');
  const layout = await loadLayout[options.layout as LayoutName]();
  const { result: units, cost } = await withArchive(evaluation, tools, async (db, onStep) => {
    const requested = { hasAblation: options.ablation === true, onStep, ...(companions && { companions }) };
    const results = await layout.evaluate(db, file, window, requested);
    return results.map((result) => buildPredictionMetrics(layout.buckets, result));
  });
  if (options.json) printJson(tools.io, { layout: options.layout, ...window, units, cost });
  else printMetrics(tools.io, units.map(renderDelayMetrics), cost);
}

function checkTask({ task, layout, ablation, kingston }: EvaluateOptions): void {
  const allowed: readonly string[] = layoutsOfTask[task];
  if (!allowed.includes(layout)) throw new UsageError(`--task ${task} needs --layout ${allowed.join(' or ')}`);
  if (ablation && task !== 'delays') throw new UsageError('--ablation belongs to --task delays');
  if ((kingston !== undefined) !== (task === 'prior')) {
    throw new UsageError(task === 'prior' ? '--task prior needs --kingston' : '--kingston belongs to --task prior');
  }
}

const layoutsOfTask = {
  delays: layoutNames,
  transfers: ['pl_rail'],
  'first-days': recordLayouts,
  prior: ['pl_rail'],
  'final-forecasts': [RECORDING],
} as const satisfies Record<EvaluateOptions['task'], readonly EvaluateOptions['layout'][]>;

/** The first days of a source, and the training of the priors that predict them. */
async function runColdStart(evaluation: Evaluation, tools: EvaluationTools): Promise<void> {
  const { file, window, options } = evaluation;
  const { rebuildPriors, renderFirstDays, runFirstDays } = await import('./cold-start/cold-start-tasks.ts');
  const { effects, io } = tools;
  if (options.layout !== 'made_up_city') await checkFile('--data', file);
  const { result } = await withArchive(evaluation, tools, async (db, onStep) => {
    onStep('load');
    if (options.task === 'prior') {
      const kingston = path.resolve(io.cwd, options.kingston!);
      return { lines: await rebuildPriors(db, { rail: file, kingston, window }, effects), rows: null };
    }
    const data = options.layout === 'made_up_city' ? options.data : file;
    const rows = await runFirstDays(db, { layout: options.layout as RecordLayout, data, window }, effects);
    return { lines: renderFirstDays(rows), rows };
  });
  if (options.json && result.rows) printJson(io, { task: options.task, layout: options.layout, ...window, ...result });
  else for (const line of result.lines) printLine(io, line);
}

async function evaluateTransferTask(evaluation: Evaluation, tools: EvaluationTools): Promise<void> {
  const { file, window, options } = evaluation;
  const { evaluateTransfers } = await import('./transfers/evaluate-transfers.ts');
  const { renderTransferMetrics } = await import('./render-transfer-metrics.ts');
  const { result, cost } = await withArchive(evaluation, tools, (db, onStep) =>
    evaluateTransfers(db, file, window, onStep),
  );
  if (options.json) printJson(tools.io, { task: options.task, layout: options.layout, ...window, ...result, cost });
  else printMetrics(tools.io, [renderTransferMetrics(result)], cost);
}

async function evaluateForecastTask(folder: string, options: EvaluateOptions, { io, effects }: EvaluationTools) {
  const { evaluateFinalForecasts, renderFinalForecasts } = await import(
    './final-forecasts/evaluate-final-forecasts.ts'
  );
  const result = await evaluateFinalForecasts(folder, effects);
  if (options.json) printJson(io, { task: options.task, layout: options.layout, ...result });
  else for (const line of renderFinalForecasts(result)) printLine(io, line);
}

function printMetrics(io: Io, parts: readonly (readonly string[])[], cost: Cost): void {
  for (const part of parts) for (const line of [...part, '']) printLine(io, line);
  const training = cost.seconds.train.map((seconds) => `${seconds.toFixed(1)} s`).join(', ');
  printLine(io, `training took ${training}; ${cost.peakMegabytes} MB of memory at most`);
}

/** Opens the engine for an evaluation, and measures its steps. */
async function withArchive<Result>(
  { file, options }: Evaluation,
  { effects }: EvaluationTools,
  evaluate: (db: Duckdb, onStep: (step: EvaluationStep) => void) => Promise<Result>,
): Promise<{ result: Result; cost: Cost }> {
  const steps = watchSteps((step) => effects.log.progress(step));
  // Imported on demand: the help must not load the engine.
  const { openDuckdb } = await import('../../pipeline/effects/duckdb.ts');
  const parent = path.join(tmpdir(), `taktgeber-evaluate-${userInfo().username}`);
  for (const failure of await sweepTemporaryFolders(parent, effects.clock.nowMilliseconds())) effects.log.warn(failure);
  const temporaryFolder = path.join(parent, await createTemporaryFolderName());
  await mkdir(temporaryFolder, { recursive: true });
  const db = await openDuckdb({ memoryLimit: ENGINE_MEMORY, temporaryFolder });
  try {
    const result = await evaluate(db, steps.begin);
    const seconds = steps.end();
    return { result, cost: { seconds, peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1000) } };
  } catch (error) {
    if (error instanceof UnfitWindowError) throw new UsageError(`--from, --test-from: ${error.message}`);
    if (steps.current() === 'load' && error instanceof Error && OTHER_FILE.test(error.message)) {
      const words = error.message.split('\n')[0];
      throw new ExternalError('archive_unreadable', `${file} does not have the layout ${options.layout}: ${words}`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    db.close();
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** Start of the engine's messages for a file that is not Parquet or has other columns. */
const OTHER_FILE = /^(?:Invalid Input|Binder|Conversion|IO) Error: /;

/** Measures how long each step takes. */
function watchSteps(report: (step: string) => void) {
  const seconds: Record<EvaluationStep, number[]> = {
    load: [],
    train: [],
    forecast: [],
    tables: [],
    ablation: [],
    done: [],
  };
  let current: EvaluationStep | null = null;
  let since = performance.now();
  const begin = (step: EvaluationStep) => {
    const now = performance.now();
    if (current !== null) seconds[current].push((now - since) / 1000);
    current = step;
    since = now;
    report(step);
  };
  return {
    begin,
    current: () => current,
    end: () => {
      begin('done');
      return seconds;
    },
  };
}

function readWindow(options: EvaluateOptions): EvaluationWindow {
  const window = {
    from: readDate('--from', options.from),
    testFrom: readDate('--test-from', options.testFrom),
    testTo: readDate('--test-to', options.testTo),
  };
  if (window.from >= window.testFrom) throw new UsageError('--test-from must lie after --from');
  if (window.testFrom > window.testTo) throw new UsageError('--test-to lies before --test-from');
  return window;
}

function readDate(option: string, text: string | undefined): ServiceDate {
  if (text === undefined) throw new UsageError(`${option} is missing`);
  const date = parseServiceDate(text);
  if (date === null) throw new UsageError(`${option} must be a date such as 2025-05-05, not "${text}"`);
  return date;
}

/** Imported on demand: they load the code for training and evaluation. */
const loadLayout: Readonly<Record<LayoutName, () => Promise<Layout>>> = {
  pl_rail: async () => (await import('./pl-rail-layout.ts')).plRailLayout,
  hu_snapshots: async () => (await import('./hu-snapshots/hu-snapshots-layout.ts')).huSnapshotsLayout,
};
