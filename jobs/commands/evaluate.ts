import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { type Command, Option } from 'commander';
import type { Duckdb } from '../../pipeline/effects/duckdb.ts';
import { nameTemporaryFolder, sweepTemporaryFolders } from '../../pipeline/effects/temporary-folders.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { WorldError } from '../../pipeline/effects/world-error.ts';
import {
  type CompanionFiles,
  type EvaluationStep,
  type EvaluationWindow,
  type Layout,
  type LayoutName,
  layoutNames,
} from '../../pipeline/evaluation/layout.ts';
import { parseServiceDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { type ImplausibleCounts, implausibleCodes } from '../../pipeline/predictions/features/implausible-calls.ts';
import type { UnitFigures } from '../../pipeline/predictions/measured/build-figures.ts';
import { OURS, PERSISTENCE } from '../../pipeline/predictions/measured/forecast-table.ts';
import { UnfitWindowError } from '../../pipeline/predictions/model/share-out-days.ts';
import { exitCode } from '../job/exit-code.ts';
import { renderTable, type TextColumn } from '../job/text-table.ts';
import { addExamples, type CommandTools } from './command-tools.ts';
import { orInterrupted, printJson, printLine } from './io.ts';

const UNIT_TITLES = { raw: 'Seconds as they are', wholeMinutes: 'Whole minutes' } as const;

/** The figures of one unit as tables for a terminal. */
function renderFigures(figures: UnitFigures): string[] {
  return [
    `${UNIT_TITLES[figures.unit]}: ${figures.pairs} pairs forecast, ${figures.learntPairs} learnt from, ${figures.trees} trees`,
    ...(figures.implausible === null ? [] : [renderImplausible(figures.implausible)]),
    '',
    ...renderErrors(figures),
    '',
    ...renderIntervals(figures),
    '',
    ...renderClasses(figures),
    '',
    ...renderEtaBenchmark(figures),
    ...(figures.ablation.length === 0 ? [] : ['', ...renderAblation(figures)]),
  ];
}

function renderImplausible(implausible: ImplausibleCounts): string {
  const counts = implausibleCodes.map((code) => `${implausible[code]} ${code}`);
  return `implausible calls left out: ${counts.join(', ')}`;
}

function renderErrors({ errors }: UnitFigures): string[] {
  const names = Object.keys(errors[0]?.meanError ?? {});
  const rows = errors.map(({ slice, pairs, meanError, againstPersistence }) => [
    slice,
    String(pairs),
    ...names.map((name) => seconds(meanError[name])),
    change(againstPersistence[OURS]),
  ]);
  return renderTable(
    [{ title: 'mean error, s' }, number('pairs'), ...names.map(number), number(`${OURS} against ${PERSISTENCE}`)],
    rows,
  );
}

function renderIntervals({ intervals, winklerAgainstTable }: UnitFigures): string[] {
  const rows = intervals.map(({ slice, forecaster, covered, hit, meanWidth, winkler }) => [
    slice,
    forecaster,
    share(covered),
    share(hit),
    seconds(meanWidth),
    seconds(winkler),
    forecaster === OURS ? decimals(winklerAgainstTable[slice], 2) : '',
  ]);
  return renderTable(
    [
      { title: 'p10 to p90' },
      { title: 'of' },
      ...['covered', 'median hits', 'width, s', 'Winkler', 'of the table'].map(number),
    ],
    rows,
  );
}

function renderClasses({ classes }: UnitFigures): string[] {
  const rows = classes.map(({ name, share: part, covered, within60, within120, within180 }) => [
    name,
    ...[part, covered, within60, within120, within180].map(share),
  ]);
  const titles = ['share', 'covered', 'within 60 s', 'within 120 s', 'within 180 s'];
  return renderTable([{ title: 'confidence, up to 60 min' }, ...titles.map(number)], rows);
}

function renderEtaBenchmark({ etaBenchmark }: UnitFigures): string[] {
  const names = Object.keys(etaBenchmark[0]?.accurate ?? {});
  const rows = etaBenchmark.map(({ bucket, pairs, accurate }) => [
    bucket,
    String(pairs),
    ...names.map((name) => share(accurate[name])),
  ]);
  return renderTable([{ title: 'ETA benchmark, accurate' }, number('pairs'), ...names.map(number)], rows);
}

function renderAblation({ ablation }: UnitFigures): string[] {
  const all = ablation.find(({ without }) => without === 'nothing')?.meanError ?? Number.NaN;
  const rows = ablation.map(({ without, meanError }) => [without, decimals(meanError, 2), change(meanError / all - 1)]);
  return renderTable([{ title: 'learnt without' }, number('mean error, s'), number('worse by')], rows);
}

const number = (title: string): TextColumn => ({ title, align: 'end' });
const decimals = (value: number | null | undefined, digits: number) =>
  value === null || value === undefined ? '-' : value.toFixed(digits);
const seconds = (value: number | null | undefined) => decimals(value, 1);
const share = (value: number | null | undefined) =>
  value === null || value === undefined ? '-' : `${(value * 100).toFixed(1)} %`;
const change = (value: number | null | undefined) =>
  value === null || value === undefined ? '-' : `${value > 0 ? '+' : ''}${(value * 100).toFixed(1)} %`;

/** Kinds of forecasts: of delays, and of changes that are held. */
const tasks = ['delays', 'transfers'] as const;

interface EvaluateOptions {
  readonly task: (typeof tasks)[number];
  readonly data: string;
  readonly layout: LayoutName;
  readonly finals?: string;
  readonly positions?: string;
  readonly from: string;
  readonly testFrom: string;
  readonly testTo: string;
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

export function addEvaluateCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('evaluate')
    .description('Evaluate predictions on an archive of delays: train before the test period, forecast all of it.')
    .requiredOption('--data <file>', 'Parquet file')
    .addOption(new Option('--layout <name>', 'layout of the file').choices(layoutNames).makeOptionMandatory())
    .requiredOption('--from <date>', 'first service date that is read')
    .requiredOption('--test-from <date>', 'first service date that is forecast; training uses the dates before it')
    .requiredOption('--test-to <date>', 'last service date that is forecast')
    .addOption(new Option('--task <name>', 'what is forecast').choices(tasks).default('delays'))
    .option('--finals <file>', 'final values of hu_snapshots; default: hu_final_... next to hu_snapshots_...')
    .option('--positions <file>', 'live positions of hu_snapshots; default: all hu_live_positions_*.parquet next to it')
    .option('--json', 'print JSON')
    .option('--ablation', 'also train without each group of features')
    .action(async (options: EvaluateOptions) => {
      tools.finish(await runEvaluate(options, tools));
    });
  addExamples(command, [
    [
      'taktgeber evaluate --task transfers --data delays.parquet --layout pl_rail --from 2025-03-24 --test-from 2025-05-05 --test-to 2025-05-18',
      'probabilities that changes between trains are held',
    ],
    [
      'taktgeber evaluate --data delays.parquet --layout pl_rail --from 2025-03-24 --test-from 2025-05-05 --test-to 2025-05-18',
      'train on six weeks, forecast two',
    ],
    [
      'taktgeber evaluate --data hu_snapshots_2024-12-13_19.parquet --layout hu_snapshots --from 2024-12-13 --test-from 2024-12-18 --test-to 2024-12-19',
      'live snapshots; with final values and positions in the same folder',
    ],
  ]);
}

async function runEvaluate(options: EvaluateOptions, tools: CommandTools): Promise<number> {
  const { io } = tools;
  checkTask(options);
  const file = path.resolve(io.cwd, options.data);
  const window = readWindow(options);
  await checkFile('--data', file);
  const companions = await findCompanions(file, options, io.cwd);
  const evaluation = { file, companions, window, options };
  const evaluate = options.task === 'transfers' ? evaluateChanges : evaluateDelays;
  await orInterrupted(evaluate(evaluation, tools), io.interrupt);
  return exitCode.done;
}

/** What is to be evaluated. */
interface Evaluation {
  readonly file: string;
  readonly companions: CompanionFiles | undefined;
  readonly window: EvaluationWindow;
  readonly options: EvaluateOptions;
}

async function evaluateDelays(evaluation: Evaluation, tools: CommandTools): Promise<void> {
  const { companions, file, window, options } = evaluation;
  const { buildFigures } = await import('../../pipeline/predictions/measured/build-figures.ts');
  const layout = await loadLayout[options.layout]();
  const { result: units, cost } = await withArchive(evaluation, tools, async (db, onStep) => {
    const asked = { hasAblation: options.ablation === true, onStep, ...(companions && { companions }) };
    const results = await layout.evaluate(db, file, window, asked);
    return results.map((result) => buildFigures(layout.buckets, result));
  });
  if (options.json) printJson(tools.io, { layout: options.layout, ...window, units, cost });
  else printFigures(tools.io, units.map(renderFigures), cost);
}

function checkTask({ task, layout, ablation }: EvaluateOptions): void {
  if (task === 'delays') return;
  if (layout !== 'pl_rail') throw new UsageError('--task transfers needs --layout pl_rail');
  if (ablation) throw new UsageError('--ablation belongs to --task delays');
}

async function evaluateChanges(evaluation: Evaluation, tools: CommandTools): Promise<void> {
  const { file, window, options } = evaluation;
  const { evaluateTransfers } = await import('../../pipeline/evaluation/transfers/evaluate-transfers.ts');
  const { renderTransferFigures } = await import('./render-transfer-figures.ts');
  const { result, cost } = await withArchive(evaluation, tools, (db, onStep) =>
    evaluateTransfers(db, file, window, onStep),
  );
  if (options.json) printJson(tools.io, { task: options.task, layout: options.layout, ...window, ...result, cost });
  else printFigures(tools.io, [renderTransferFigures(result)], cost);
}

function printFigures(io: CommandTools['io'], parts: readonly (readonly string[])[], cost: Cost): void {
  for (const part of parts) for (const line of [...part, '']) printLine(io, line);
  const training = cost.seconds.train.map((seconds) => `${seconds.toFixed(1)} s`).join(', ');
  printLine(io, `training took ${training}; ${cost.peakMegabytes} MB of memory at most`);
}

/** Opens the engine for an evaluation, and measures its steps. */
async function withArchive<Result>(
  { file, options }: Evaluation,
  { effects }: CommandTools,
  evaluate: (db: Duckdb, onStep: (step: EvaluationStep) => void) => Promise<Result>,
): Promise<{ result: Result; cost: Cost }> {
  const steps = watchSteps((step) => effects.log.progress(step));
  // Imported on demand: the help must not load the engine.
  const { openDuckdb } = await import('../../pipeline/effects/duckdb.ts');
  const parent = path.join(tmpdir(), `taktgeber-evaluate-${userInfo().username}`);
  for (const failure of await sweepTemporaryFolders(parent, effects.clock.nowMilliseconds())) effects.log.warn(failure);
  const temporaryFolder = path.join(parent, await nameTemporaryFolder());
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
      throw new WorldError('archive_unreadable', `${file} does not have the layout ${options.layout}: ${words}`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    db.close();
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** Start of the engine's messages for a file that is no Parquet or has other columns. */
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

function readDate(option: string, text: string): ServiceDate {
  const date = parseServiceDate(text);
  if (date === null) throw new UsageError(`${option} must be a date such as 2025-05-05, not "${text}"`);
  return date;
}

const SNAPSHOTS = /^hu_snapshots_(.+)$/;
const POSITIONS = /^hu_live_positions_.*\.parquet$/;

/** The companion files of snapshots: those given as options, else those with matching names. */
async function findCompanions(
  file: string,
  options: EvaluateOptions,
  cwd: string,
): Promise<CompanionFiles | undefined> {
  const { layout, finals, positions } = options;
  if (layout !== 'hu_snapshots') {
    if (finals !== undefined) throw new UsageError('--finals belongs to the layout hu_snapshots');
    if (positions !== undefined) throw new UsageError('--positions belongs to the layout hu_snapshots');
    return undefined;
  }
  const folder = path.dirname(file);
  const finalsFile = finals === undefined ? guessFinals(file) : path.resolve(cwd, finals);
  await checkFile('--finals', finalsFile);
  if (positions === undefined) {
    const found = (await readdir(folder)).filter((name) => POSITIONS.test(name)).sort();
    return { finals: finalsFile, positions: found.map((name) => path.join(folder, name)) };
  }
  const positionsFile = path.resolve(cwd, positions);
  await checkFile('--positions', positionsFile);
  return { finals: finalsFile, positions: [positionsFile] };
}

function guessFinals(file: string): string {
  const [, rest] = SNAPSHOTS.exec(path.basename(file)) ?? [];
  if (rest === undefined) {
    throw new UsageError('--finals is needed: hu_final_... is searched for only next to a file hu_snapshots_...');
  }
  return path.join(path.dirname(file), `hu_final_${rest}`);
}

async function checkFile(option: string, file: string): Promise<void> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw new UsageError(`${option}: there is no file ${file}`);
}

/** Imported on demand: they load the code for training and evaluation. */
const loadLayout: Readonly<Record<LayoutName, () => Promise<Layout>>> = {
  pl_rail: async () => (await import('../../pipeline/evaluation/pl-rail-layout.ts')).plRailLayout,
  hu_snapshots: async () =>
    (await import('../../pipeline/evaluation/hu-snapshots/hu-snapshots-layout.ts')).huSnapshotsLayout,
};
