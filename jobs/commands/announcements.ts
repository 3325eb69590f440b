import path from 'node:path';
import { type Command, Option } from 'commander';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { formatUtc } from '../../pipeline/model/service-time.ts';
import type { Announcement } from '../../pipeline/snapshots/parse-announcements.ts';
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

interface CheckOptions extends CommonOptions {
  readonly json?: boolean;
}

interface AddOptions extends CommonOptions {
  readonly id?: string;
  readonly title: string;
  readonly text: string;
  readonly kind: string;
  readonly priority: string;
  readonly from?: string;
  readonly to?: string;
  readonly url?: string;
  readonly platform?: readonly string[];
}

const MAX_ID_LENGTH = 64;

/** Kept equal to those of the file, whose reader is loaded only when a command runs. */
const KINDS: readonly Announcement['kind'][] = ['information', 'maintenance', 'disruption', 'update'];

export function addAnnouncementsCommand(program: Command, tools: CommandTools): void {
  const group = program
    .command('announcements')
    .description('List, add and close the notices that apps and pages show; their file may also be edited by hand.');
  addCommonOptions(group.command('check'))
    .description('List the notices with their state, and the mistakes in the file, line by line.')
    .option('--json', 'print JSON')
    .action(async (options: CheckOptions) => tools.finish(await check(options, tools)));
  addCommonOptions(group.command('add'))
    .description('Append a notice to the file; a running service shows it within a second.')
    .requiredOption('--title <line>', 'one line')
    .requiredOption('--text <text>', 'plain text')
    .option('--id <id>', 'lower-case letters, digits and hyphens; default: derived from the title')
    .addOption(new Option('--kind <kind>', 'what it is about').choices(KINDS).default('information'))
    .option('--priority <number>', 'the highest comes first', '0')
    .option('--from <time>', 'start, e.g. 2026-03-29T04:00:00+02:00; default: now')
    .option('--to <time>', 'end; default: until it is closed')
    .option('--url <address>', 'a page with details')
    .option('--platform <name...>', 'only on ios, android or web')
    .action(async (options: AddOptions) => tools.finish(await add(options, tools)));
  addCommonOptions(group.command('close'))
    .description('Stop showing a notice; it stays in the file.')
    .argument('<id>', 'of the announcement')
    .action(async (id: string, options: CommonOptions) => tools.finish(await close(id, options, tools)));
  addExamples(group, [
    ['taktgeber announcements check', 'which are shown, planned and expired'],
    ['taktgeber announcements add --title "Neuer Fahrplan" --text "Ab 13. Dezember gilt …"', 'shown at once'],
    ['taktgeber announcements close neuer-fahrplan', 'stop showing it'],
  ]);
}

/** Imported on demand: the help must not load a reader of YAML. */
const openFile = () => import('../../pipeline/snapshots/announcements-file.ts');

async function findFile(options: CommonOptions, tools: CommandTools): Promise<string> {
  const { dataDir, announcements } = await loadCommandConfig(tools, options, { isWriter: true });
  return path.resolve(dataDir, announcements.file);
}

async function check(options: CheckOptions, tools: CommandTools): Promise<number> {
  const { io, effects } = tools;
  const file = await findFile(options, tools);
  const { readAnnouncements } = await openFile();
  const { announcements, problems } = await readAnnouncements(file);
  const { stateOf } = await import('../../pipeline/snapshots/parse-announcements.ts');
  const instant = nowInstant(effects.clock);
  const rows = announcements.map((one) => ({ ...present(one), state: stateOf(one, instant) }));
  if (options.json) printJson(io, { file, announcements: rows, problems });
  else {
    const columns = ['ID', 'STATE', 'PRIORITY', 'FROM', 'TO', 'TITLE'].map((title) => ({ title }));
    const cells = rows.map(({ id, state, priority, activeFrom, activeTo, title }) => [
      id,
      state,
      String(priority),
      activeFrom ?? '',
      activeTo ?? '',
      title,
    ]);
    if (cells.length > 0) for (const line of renderTable(columns, cells)) printLine(io, line);
    else if (problems.length === 0) printLine(io, `There is no announcement in ${file}.`);
    printProblems(file, problems, tools);
  }
  return problems.length > 0 ? exitCode.failed : exitCode.done;
}

function present({ activeFrom, activeTo, closedAt, ...rest }: Announcement) {
  const toText = (at: number | null) => (at === null ? null : formatUtc(at * 1000));
  return { ...rest, activeFrom: toText(activeFrom), activeTo: toText(activeTo), closedAt: toText(closedAt) };
}

/** A service continues with the previous content of the file. */
function printProblems(file: string, problems: readonly string[], { io }: CommandTools): void {
  for (const problem of problems) io.stderr.write(`error: ${file}, ${problem}\n`);
}

async function add(options: AddOptions, tools: CommandTools): Promise<number> {
  const file = await findFile(options, tools);
  const { addAnnouncement, readAnnouncements } = await openFile();
  const known = new Set((await readAnnouncements(file)).announcements.map((one) => one.id));
  const id = options.id ?? findFreeId(toId(options.title), known);
  const { title, text, kind, from: activeFrom, to: activeTo, url, platform: platforms } = options;
  const priority = Number(options.priority);
  const entry = { id, title, text, kind, priority, activeFrom, activeTo, url, platforms };
  const given = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  const problems = await addAnnouncement(file, { ...given, id });
  printProblems(file, problems, tools);
  if (problems.length > 0) return exitCode.failed;
  printLine(tools.io, `added ${id} to ${file}`);
  return exitCode.done;
}

async function close(id: string, options: CommonOptions, tools: CommandTools): Promise<number> {
  const file = await findFile(options, tools);
  const { closeAnnouncement, readAnnouncements } = await openFile();
  const { announcements, problems: before } = await readAnnouncements(file);
  printProblems(file, before, tools);
  if (before.length > 0) return exitCode.failed;
  const known = announcements.find((announcement) => announcement.id === id);
  if (!known) {
    const ids = announcements.filter(({ closedAt }) => closedAt === null).map((one) => one.id);
    throw new UsageError(
      `there is no announcement "${id}"; ${ids.length > 0 ? `there are ${ids.join(', ')}` : 'there is none'}`,
    );
  }
  const instant = nowInstant(tools.effects.clock);
  if (known.closedAt !== null && known.closedAt <= instant) {
    printLine(tools.io, `${id} has been closed since ${formatUtc(known.closedAt * 1000)}`);
    return exitCode.done;
  }
  await closeAnnouncement(file, id, instant);
  printLine(tools.io, `closed ${id}`);
  return exitCode.done;
}

/** Announcements with the same title get a number: `neuer-fahrplan`, `neuer-fahrplan-2`. */
function findFreeId(id: string, known: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `-${number}`;
    const numbered = `${id.slice(0, MAX_ID_LENGTH - ending.length)}${ending}`;
    if (!known.has(numbered)) return numbered;
  }
}

/** "Neuer Fahrplan ab Dezember!" becomes `neuer-fahrplan-ab-dezember`. */
function toId(title: string): string {
  const letters = title.toLowerCase().replaceAll('ß', 'ss').normalize('NFD').replace(/\p{M}/gu, '');
  return letters
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_ID_LENGTH);
}
