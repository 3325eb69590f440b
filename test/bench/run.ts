import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { renderTable } from '../../jobs/job/text-table.ts';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { benchBackfill } from './backfill-bench.ts';
import { type Bench, withBench } from './bench.ts';
import { benchBoards } from './board-bench.ts';
import { benchEurope } from './europe-bench.ts';
import { type Figure, isTargetMet } from './figure.ts';
import { benchFinalise } from './finalise-bench.ts';
import { benchHistory } from './history-bench.ts';
import { benchHttp } from './http-bench.ts';
import { benchImport } from './import-bench.ts';
import { benchIngest } from './ingest-bench.ts';
import { nationalSize, quickSize } from './national-feed.ts';
import { benchPlanner } from './planner-bench.ts';
import { benchPredictions } from './prediction-bench.ts';
import { benchRealtime } from './realtime-bench.ts';
import { benchScenes } from './scene-bench.ts';
import { benchSearch } from './search-bench.ts';
import { benchSnapshot } from './snapshot-bench.ts';
import { benchSoak } from './soak.ts';
import { benchWatches } from './watch-bench.ts';

const subjects = {
  ingest: benchIngest,
  snapshot: benchSnapshot,
  board: benchBoards,
  http: benchHttp,
  realtime: benchRealtime,
  search: async () => benchSearch(),
  planner: benchPlanner,
  backfill: benchBackfill,
  import: benchImport,
  history: async (bench) => [...(await benchFinalise(bench)), ...(await benchHistory(bench))],
  predictions: benchPredictions,
  watches: benchWatches,
  scenes: benchScenes,
  europe: benchEurope,
  soak: benchSoak,
} as const satisfies Record<string, (bench: Bench) => Promise<Figure[]>>;

type Subject = keyof typeof subjects;

/** Only by name: they take long, or need more than npm. */
const onlyByName: readonly string[] = ['europe', 'soak'];

const HELP = `Measures the project's speed and memory, prints a table and writes it to bench-results/.

usage: npm run bench -- [--only ${Object.keys(subjects).join(',')}] [--quick]

  --only <list>  only these subjects
  --quick        a tenth of the national feed, and two months of history instead of a year; such figures say so, and
                 their targets are those of the whole
  --help         this text

\`scenes\` measures no speed: in each of 200 (quick: 20), a watched trip of the sample misses its change, and the options
that the watch is told are ridden through what really happens: how many worked, against the probabilities told.

\`europe\` runs by name alone. It holds a day of 1, 2 and 5 countries of Austria's size (quick: 1 and 2), asks DuckDB and,
where it can be brought up as for \`npm run interop\`, Trino, and computes what 50 take: by the prices in
test/bench/europe-prices.json, which you may change.

\`soak\` runs by name alone. It runs the whole service with the sample for an hour, or SOAK_MINUTES, asks it without a pause,
and lists requests, errors, p99 and memory by minute.

The first run makes the national feed, which takes a minute at most and counts for nothing; it is kept for later
runs in the system's temporary folder, as is the npm package minotor, which \`planner\` installs there to compare with,
where npm reaches a registry. A missed target is shown, and is no failure.
`;

const CRASHED = 1;
const USAGE = 2;

interface Options {
  readonly only: readonly Subject[];
  readonly isQuick: boolean;
}

/** @returns null when help was asked for */
function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: { only: { type: 'string' }, quick: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help) return null;
  const known = Object.keys(subjects) as Subject[];
  const wanted = values.only?.split(',') ?? known.filter((name) => !onlyByName.includes(name));
  const stray = wanted.find((name) => !known.some((subject) => subject === name));
  if (stray !== undefined) throw new RangeError(`there is no subject "${stray}"; there are ${known.join(', ')}`);
  return { only: known.filter((subject) => wanted.includes(subject)), isQuick: values.quick === true };
}

function describeMachine() {
  const cores = os.cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGigabytes: Math.round(os.totalmem() / 1e9),
    node: process.version,
    platform: `${os.platform()} ${os.arch()}`,
  };
}

/** A subject that fails is reported, and does not lose the figures of the others. */
async function measure({ only, isQuick }: Options): Promise<Figure[]> {
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  return withBench(isQuick ? quickSize : nationalSize, tell, async (bench) => {
    const figures: Figure[] = [];
    for (const subject of only) {
      try {
        figures.push(...(await subjects[subject](bench)));
      } catch (error) {
        fail(CRASHED, error);
      }
    }
    return figures;
  });
}

function toRow(figure: Figure): string[] {
  const { target } = figure;
  const isMet = isTargetMet(figure);
  const limit = target && ('atMost' in target ? `<= ${target.atMost}` : `>= ${target.atLeast.toLocaleString('en')}`);
  return [figure.name, formatValue(figure.value), figure.unit, limit ?? '', isMet === null ? '' : isMet ? 'yes' : 'NO'];
}

function formatValue(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

async function writeResults(at: string, results: unknown): Promise<string> {
  const folder = path.join(projectRoot, 'bench-results');
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${at.slice(0, 19).replaceAll(':', '-')}.json`);
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}

async function bench(options: Options): Promise<void> {
  const machine = describeMachine();
  const figures = await measure(options);
  const at = new Date().toISOString();
  const measured = figures.map((figure) => ({ ...figure, isMet: isTargetMet(figure) }));
  const file = await writeResults(at, { at, machine, isQuick: options.isQuick, figures: measured });
  const columns = [{ title: 'figure' }, { title: 'value', align: 'end' as const }, { title: 'unit' }];
  const lines = renderTable([...columns, { title: 'target' }, { title: 'met' }], figures.map(toRow));
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
  const { cpu, cores, memoryGigabytes, node, platform } = machine;
  process.stdout.write(`${cpu}, ${cores} cores, ${memoryGigabytes} GB, Node ${node}, ${platform}\n`);
  process.stdout.write('Times in process are without a first round that warms up; HTTP is the median of 3 rounds.\n');
  process.stdout.write(`Also in ${path.relative(process.cwd(), file)}\n`);
}

function fail(exitCode: number, error: unknown): void {
  const isOfUsage = exitCode === USAGE;
  const text = error instanceof Error ? ((isOfUsage ? null : error.stack) ?? error.message) : String(error);
  process.stderr.write(`bench: ${text}\n${isOfUsage ? `\n${HELP}` : ''}`);
  process.exitCode = exitCode;
}

async function main(): Promise<void> {
  let options: Options | null;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    return fail(USAGE, error);
  }
  if (!options) {
    process.stdout.write(HELP);
    return;
  }
  await bench(options).catch((error) => fail(CRASHED, error));
}

await main();
