import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { Bench } from './bench.ts';
import type { Metric } from './metric.ts';
import { type CitySpeed, toQuantiles } from './planner-speed.ts';

const VERSION = '1.0.7';

/** Output of `minotor-runner.mjs`. */
interface MinotorAnswers {
  readonly parseSeconds: number;
  readonly milliseconds: readonly number[];
  /** Arrival as second of the day, by question; null: unreachable. */
  readonly arrivals: readonly (number | null)[];
}

/** The feed and the day of the questions that both planners answer, and our answers. */
interface MinotorInput {
  /** For the metrics. */
  readonly place: string;
  readonly zip: string;
  readonly date: ServiceDate;
  /** Midnight of that day. */
  readonly dayStart: number;
  readonly ours: Pick<CitySpeed, 'questions' | 'arrival' | 'arrivals'>;
}

/** Runs the same questions on the same feed with minotor, the best planner on npm. */
export async function benchMinotor(bench: Bench, input: MinotorInput): Promise<Metric[]> {
  const folder = await installMinotor(bench);
  if (folder === null) return [];
  bench.progress(`earliest arrivals in ${input.place} by minotor ${VERSION}`);
  return compare(await runMinotor(bench, folder, input), input);
}

/**
 * Installs minotor into a separate folder, which later runs reuse.
 * @returns null if npm failed
 */
async function installMinotor({ progress }: Bench): Promise<string | null> {
  const folder = path.join(os.tmpdir(), `taktgeber-bench-minotor-${VERSION}`);
  if (existsSync(path.join(folder, 'node_modules', 'minotor', 'package.json'))) return folder;
  progress(`installing minotor ${VERSION} into ${folder}`);
  await mkdir(folder, { recursive: true });
  // Without this file npm would use a project in a parent folder.
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'];
  const npm = npmCommand();
  const { code, output } = await run(npm.file, [...npm.args, 'install', `minotor@${VERSION}`, ...options], folder);
  if (code === 0) return folder;
  progress(`SKIPPED: minotor; npm could not install it (exit code ${code}). Check access to the registry.\n${output}`);
  return null;
}

function npmCommand(): { file: string; args: string[] } {
  const script = process.env.npm_execpath;
  if (script && path.basename(script) === 'npm-cli.js') return { file: process.execPath, args: [script] };
  return { file: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] };
}

/** Keeps only the end of the output, because minotor prints a warning for each call. */
function run(file: string, args: readonly string[], folder: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-LAST_WORDS);
    });
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

const LAST_WORDS = 2000;

async function runMinotor(
  bench: Bench,
  folder: string,
  { zip, date, dayStart, ours }: MinotorInput,
): Promise<MinotorAnswers> {
  const exchange = await bench.makeFolder();
  const [questionsFile, answersFile] = ['questions.json', 'answers.json'].map((name) => path.join(exchange, name));
  const questions = ours.questions.map(({ from, to, time }) => ({
    from: toGtfsId(from),
    to: toGtfsId(to),
    secondOfDay: time - dayStart,
  }));
  await writeFile(questionsFile!, JSON.stringify(questions));
  const runner = path.join(folder, 'runner.mjs');
  await copyFile(projectPath('test/bench/minotor-runner.mjs'), runner);
  const { code, output } = await run(process.execPath, [runner, zip, date, questionsFile!, answersFile!], folder);
  if (code !== 0) throw new Error(`minotor ended with ${code}: ${output}`);
  return JSON.parse(await readFile(answersFile!, 'utf8')) as MinotorAnswers;
}

/** The stop id without our source. */
function toGtfsId(stopId: string): string {
  return stopId.slice(stopId.indexOf(':') + 1);
}

function compare(theirs: MinotorAnswers, { place, dayStart, ours }: MinotorInput): Metric[] {
  const { p50, p99 } = toQuantiles(theirs.milliseconds);
  const count = ours.questions.length;
  const share = (isCounted: (our: number | null, their: number | null) => boolean) => {
    const counted = ours.arrivals.filter((our, i) => isCounted(our, theirs.arrivals[i]!));
    return (counted.length / count) * 100;
  };
  // Arrivals of minotor are seconds of the day, as in the timetable.
  const isEqual = (our: number | null, their: number | null) =>
    our !== null && their !== null && our - dayStart === their;
  const isLater = (our: number | null, their: number | null) =>
    their !== null && (our === null || our - dayStart > their);
  const name = `minotor ${VERSION}, ${place}`;
  return [
    { name: `${name}: earliest arrival, p50`, value: p50, unit: 'ms' },
    { name: `${name}: earliest arrival, p99`, value: p99, unit: 'ms' },
    { name: `${name}: its p50 to ours`, value: p50 / ours.arrival.p50, unit: '', target: { atLeast: 10 } },
    { name: `${name}: its p99 to ours`, value: p99 / ours.arrival.p99, unit: '', target: { atLeast: 10 } },
    { name: `${name}: feed read`, value: theirs.parseSeconds, unit: 's' },
    { name: `${name}: questions with a way, theirs`, value: share((_, their) => their !== null), unit: '%' },
    { name: `${name}: questions with a way, ours`, value: share((our) => our !== null), unit: '%' },
    { name: `${name}: arrivals equal`, value: share(isEqual), unit: '%' },
    {
      name: `${name}: arrivals earlier with ours`,
      value: share((our, their) => our !== null && !isEqual(our, their) && !isLater(our, their)),
      unit: '%',
    },
    { name: `${name}: arrivals later with ours`, value: share(isLater), unit: '%' },
  ];
}
