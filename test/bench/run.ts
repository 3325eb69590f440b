import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { renderTable } from '../../jobs/job/text-table.ts';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { benchAdvice } from './advice-bench.ts';
import { benchAustria } from './austria-bench.ts';
import { benchBackfill } from './backfill-bench.ts';
import { type Bench, withBench } from './bench.ts';
import { benchBoards } from './board-bench.ts';
import { benchEurope } from './europe-bench.ts';
import { benchFinalise } from './finalise-bench.ts';
import { benchHistory } from './history-bench.ts';
import { benchHttp } from './http-bench.ts';
import { benchImport } from './import-bench.ts';
import { benchIngest } from './ingest-bench.ts';
import { isTargetMet, listFailures, type Metric } from './metric.ts';
import { benchModes } from './modes-bench.ts';
import { nationalSize, quickSize } from './national-feed.ts';
import { benchPassages } from './passages-bench.ts';
import { benchPlaces } from './places-bench.ts';
import { benchPlanner } from './planner-bench.ts';
import { benchPredictions } from './prediction-bench.ts';
import { benchRealtime } from './realtime-bench.ts';
import { benchRiders } from './rider-bench.ts';
import { benchScenes } from './scene-bench.ts';
import { benchSearch } from './search-bench.ts';
import { benchSnapshot } from './snapshot-bench.ts';
import { benchSoak } from './soak.ts';
import { benchStart } from './start-bench.ts';
import { benchTransfers } from './transfer-bench.ts';
import { benchWatches } from './watch-bench.ts';

const subjects = {
  ingest: benchIngest,
  snapshot: benchSnapshot,
  board: benchBoards,
  http: benchHttp,
  realtime: benchRealtime,
  passages: async () => benchPassages(),
  search: async () => benchSearch(),
  places: benchPlaces,
  planner: benchPlanner,
  modes: benchModes,
  backfill: benchBackfill,
  import: benchImport,
  history: async (bench) => [...(await benchFinalise(bench)), ...(await benchHistory(bench))],
  predictions: benchPredictions,
  watches: benchWatches,
  start: benchStart,
  scenes: benchScenes,
  transfers: benchTransfers,
  advice: benchAdvice,
  austria: benchAustria,
  europe: benchEurope,
  riders: benchRiders,
  soak: benchSoak,
} as const satisfies Record<string, (bench: Bench) => Promise<Metric[]>>;

type Subject = keyof typeof subjects;

/** Subjects that run only by name, because they take long or need more than npm. */
const onlyByName: readonly string[] = ['austria', 'europe', 'riders', 'soak'];

const HELP = `Measures the project's speed and memory, prints a table and writes it to bench-results/.

usage: npm run bench -- [--only ${Object.keys(subjects).join(',')}] [--quick] [--peers]

  --only <list>  only these subjects
  --quick        a tenth of the national feed, and two months of history instead of a year; such metrics say so, and
                 their targets are those of the whole
  --peers        \`planner\` measures only the generated city, in turns with OpenTripPlanner and minotor; needs Maven and a
                 JDK from 21 to 25 for the former, and takes about a quarter of an hour
  --help         this text

\`scenes\`, \`transfers\` and \`advice\` measure no speed; they share models that are trained on past days of the sample. In
each of 200 scenes (quick: 20), a watched trip misses its transfer, and the options that the watch sends are then
simulated: how many worked, compared with the probabilities sent. \`transfers\` compares risk and probability of the
transfers of ten ordinary days (quick: one) with the outcomes. \`advice\` requests rescues of trips that are on track and
follows the first option. All are seeded, so their targets are firm: a missed one ends the program with 1, except with
--quick.

\`austria\` runs only by name. It generates the nine feeds of the country in the sizes and with the faults of the published
ones (quick: a tenth of them), ingests all of them together, and compares every count of repairs, refused rows and
merged stations and trains with what the generator put in. The feeds stay in the temporary folder.

\`europe\` runs only by name. It stores a day of 1, 2 and 5 countries of Austria's size (quick: 1 and 2), queries it with
DuckDB and, if it can be started as for \`npm run interop\`, Trino, and estimates the cost of 50 countries with the prices
in test/bench/europe-prices.json, which you may change.

\`riders\` runs only by name. It performs twenty tasks of riders in Chromium on a phone's screen, and counts taps and seconds
from the loaded page to the answer. RIDERS_CHECKOUT names another built checkout to compare with.

\`soak\` runs only by name. It runs the whole service with the sample for an hour, or SOAK_MINUTES, sends requests without
pause, and lists requests, errors, p99 and memory per minute.

The first run makes the national feed, which takes a minute at most and counts for nothing; it is kept for later
runs in the system's temporary folder, as is the npm package minotor, which \`planner\` installs there to compare with,
where npm reaches a registry. Any other missed target is shown, and is no failure.
`;

const CRASHED = 1;
const MISSED = 1;
const USAGE = 2;

interface Options {
  readonly only: readonly Subject[];
  readonly isQuick: boolean;
  readonly hasPeers: boolean;
}

/** @returns null for `--help` */
function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean' },
      peers: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return null;
  const known = Object.keys(subjects) as Subject[];
  const wanted = values.only?.split(',') ?? known.filter((name) => !onlyByName.includes(name));
  const stray = wanted.find((name) => !known.some((subject) => subject === name));
  if (stray !== undefined) throw new RangeError(`unknown subject "${stray}"; choose from ${known.join(', ')}`);
  return {
    only: known.filter((subject) => wanted.includes(subject)),
    isQuick: values.quick === true,
    hasPeers: values.peers === true,
  };
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

/** Reports a failed subject and continues with the others. */
async function measure({ only, isQuick, hasPeers }: Options): Promise<Metric[]> {
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  return withBench({ size: isQuick ? quickSize : nationalSize, hasPeers }, progress, async (bench) => {
    const metrics: Metric[] = [];
    for (const subject of only) {
      try {
        metrics.push(...(await subjects[subject](bench)));
      } catch (error) {
        fail(CRASHED, error);
      }
    }
    return metrics;
  });
}

function toRow(metric: Metric): string[] {
  const { target } = metric;
  const isMet = isTargetMet(metric);
  const limit = target && ('atMost' in target ? `<= ${target.atMost}` : `>= ${target.atLeast.toLocaleString('en')}`);
  return [metric.name, formatValue(metric.value), metric.unit, limit ?? '', isMet === null ? '' : isMet ? 'yes' : 'NO'];
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
  const metrics = await measure(options);
  const at = new Date().toISOString();
  const measured = metrics.map((metric) => ({ ...metric, isMet: isTargetMet(metric) }));
  const file = await writeResults(at, { at, machine, isQuick: options.isQuick, metrics: measured });
  const columns = [{ title: 'metric' }, { title: 'value', align: 'end' as const }, { title: 'unit' }];
  const lines = renderTable([...columns, { title: 'target' }, { title: 'met' }], metrics.map(toRow));
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
  const { cpu, cores, memoryGigabytes, node, platform } = machine;
  process.stdout.write(`${cpu}, ${cores} cores, ${memoryGigabytes} GB, Node ${node}, ${platform}\n`);
  process.stdout.write('Times in process are without a first round that warms up; HTTP is the median of 3 rounds.\n');
  process.stdout.write(`Also in ${path.relative(process.cwd(), file)}\n`);
  const failures = listFailures(metrics);
  if (failures.length > 0) fail(MISSED, `missed targets:\n${failures.map((name) => `  ${name}`).join('\n')}`);
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
