import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { UsageError } from '../../pipeline/config/usage-error.ts';
import { parseServiceDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { UnitFigures } from '../../pipeline/predictions/build-evaluation.ts';
import {
  type EvaluationStep,
  type EvaluationWindow,
  type LayoutName,
  layoutNames,
  UnfitWindowError,
} from '../../pipeline/predictions/layout.ts';
import { addExamples, type CommandTools } from '../command-tools.ts';
import { tellFigures } from '../evaluation-lines.ts';
import { exitCode } from '../exit-code.ts';
import { orInterrupted, printJson, printLine } from '../io.ts';

interface EvaluateOptions {
  readonly data: string;
  readonly layout: LayoutName;
  readonly from: string;
  readonly testFrom: string;
  readonly testTo: string;
  readonly json?: boolean;
  readonly ablation?: boolean;
}

/** What an evaluation cost. */
interface Cost {
  /** Seconds of each step, by unit in the order of the units. */
  readonly seconds: Readonly<Record<EvaluationStep, readonly number[]>>;
  /** Most memory that the process ever held. */
  readonly peakMegabytes: number;
}

/** How much of the memory the engine may take; more is spilled. */
const ENGINE_MEMORY = '700MB';

export function addEvaluateCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('evaluate')
    .description('Measure predictions on an archive of delays: learn before the test, forecast all of it.')
    .requiredOption('--data <file>', 'Parquet file')
    .addOption(new Option('--layout <name>', 'how the file is laid out').choices(layoutNames).makeOptionMandatory())
    .requiredOption('--from <date>', 'first service date that is read')
    .requiredOption('--test-from <date>', 'first service date that is forecast; what is learnt lies before it')
    .requiredOption('--test-to <date>', 'last service date that is forecast')
    .option('--json', 'print JSON')
    .option('--ablation', 'also learn without each group of features')
    .action(async (options: EvaluateOptions) => {
      tools.finish(await runEvaluate(options, tools));
    });
  addExamples(command, [
    [
      'taktgeber evaluate --data delays.parquet --layout pl_rail --from 2025-03-24 --test-from 2025-05-05 --test-to 2025-05-18',
      'learn six weeks, forecast two',
    ],
  ]);
}

async function runEvaluate(options: EvaluateOptions, tools: CommandTools): Promise<number> {
  const { io } = tools;
  const file = path.resolve(io.cwd, options.data);
  const window = readWindow(options);
  await checkFile(file);
  const { units, cost } = await orInterrupted(evaluate(file, window, options, tools), io.interrupt);
  if (options.json) {
    printJson(io, { layout: options.layout, ...window, units, cost });
    return exitCode.done;
  }
  for (const unit of units) for (const line of [...tellFigures(unit), '']) printLine(io, line);
  const training = cost.seconds.train.map((seconds) => `${seconds.toFixed(1)} s`).join(', ');
  printLine(io, `training took ${training}; ${cost.peakMegabytes} MB of memory at most`);
  return exitCode.done;
}

async function evaluate(
  file: string,
  window: EvaluationWindow,
  { layout: name, ablation }: EvaluateOptions,
  { effects }: CommandTools,
): Promise<{ units: UnitFigures[]; cost: Cost }> {
  const steps = watchSteps((step) => effects.log.progress(step));
  // Loaded late: nobody should wait for the engine who only wants to read the help.
  const { openDuckdb } = await import('../../pipeline/effects/duckdb.ts');
  const { buildFigures } = await import('../../pipeline/predictions/build-evaluation.ts');
  const { layouts } = await import('../../pipeline/predictions/layouts.ts');
  const layout = layouts[name];
  const temporaryFolder = await mkdtemp(path.join(tmpdir(), 'taktgeber-evaluate-'));
  const db = await openDuckdb({ memoryLimit: ENGINE_MEMORY, temporaryFolder });
  try {
    const results = await layout.evaluate(db, file, window, { hasAblation: ablation === true, onStep: steps.begin });
    const seconds = steps.end();
    const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1000);
    return { units: results.map((result) => buildFigures(layout, result)), cost: { seconds, peakMegabytes } };
  } catch (error) {
    if (error instanceof UnfitWindowError) throw new UsageError(`--from, --test-from: ${error.message}`);
    throw error;
  } finally {
    db.close();
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** Measures how long each step takes. */
function watchSteps(tell: (step: string) => void) {
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
    tell(step);
  };
  return {
    begin,
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

async function checkFile(file: string): Promise<void> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw new UsageError(`--data: there is no file ${file}`);
}
