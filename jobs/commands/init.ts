import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Argument as CommandArgument, Option } from 'commander';
import {
  type AustrianAccount,
  type AustrianSource,
  austrianAccounts,
  austrianSources,
  renderAustria,
} from '../../pipeline/config/austria.ts';
import { CONFIG_FILES } from '../../pipeline/config/config-file.ts';
import { isThere } from '../../pipeline/effects/files.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { exitCode } from '../job/exit-code.ts';
import { renderTable } from '../job/text-table.ts';
import { addExamples, type CommandTools } from './command-tools.ts';
import { type Io, printJson, printLine } from './io.ts';

interface InitOptions {
  readonly to?: string;
  readonly account?: readonly AustrianAccount[];
  readonly sources?: readonly string[];
  readonly print?: boolean;
  readonly json?: boolean;
}

const accountNames = Object.keys(austrianAccounts) as readonly AustrianAccount[];

export function addInitCommand(program: Command, { io, finish }: CommandTools): void {
  const accounts = new Option('--account <name...>', 'use these accounts, whose variables may be set later').choices(
    accountNames,
  );
  const command = program
    .command('init')
    .description('Write a commented configuration for a country: what is open, and what your accounts add.')
    .addArgument(new CommandArgument('<country>').choices(['austria']))
    .option('--to <file>', 'file to write (default: taktgeber.yaml); an existing file is never replaced')
    .addOption(accounts)
    .option('--sources <id...>', 'exactly these sources, whatever accounts there are')
    .option('--print', 'print the configuration instead of writing it')
    .option('--json', 'print what was written as JSON')
    .action(async (_country: string, options: InitOptions) => {
      await init(options, io);
      finish(exitCode.done);
    });
  addExamples(command, [
    ['taktgeber init austria', 'the open sources, and those of accounts in the environment'],
    ['taktgeber init austria --account mvo', 'the whole country; set MVO_USER and MVO_PASSWORD later'],
    ['taktgeber init austria --sources rail vor --print', 'two data sets, printed for review'],
  ]);
}

async function init(options: InitOptions, io: Io): Promise<void> {
  const accounts = options.account ?? accountNames.filter((name) => listUnset(name, io).length === 0);
  const chosen = options.sources === undefined ? chooseByAccounts(accounts) : chooseByIds(options.sources);
  const text = render(chosen);
  if (options.print) {
    io.stdout.write(text);
    return;
  }
  const file = path.resolve(io.cwd, options.to ?? CONFIG_FILES[0]);
  await refuseSecondFile(file, options.to);
  await writeNewFile(file, text);
  const used = accountNames.filter((name) => chosen.some(({ account }) => account === name));
  const unset = used.flatMap((name) => listUnset(name, io));
  if (options.json) printJson(io, { file, sources: chosen.map(toListing), unset });
  else for (const line of describe({ file, chosen, used, unset }, options, io)) printLine(io, line);
}

/** Without an account of the platform, the open sources alone. */
function chooseByAccounts(accounts: readonly AustrianAccount[]): readonly AustrianSource[] {
  const isOpen = ({ account }: AustrianSource) => account === null || accounts.includes(account);
  const open = austrianSources.filter(isOpen);
  const hasMvo = accounts.includes('mvo');
  return open.filter(
    ({ isOnlyWithoutAccount, timetable }) =>
      !(hasMvo && isOnlyWithoutAccount) && (timetable === null || open.some(({ id }) => id === timetable)),
  );
}

/** @throws UsageError for an unknown id */
function chooseByIds(ids: readonly string[]): readonly AustrianSource[] {
  const known = austrianSources.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) throw new UsageError(`there is no source "${unknown}"; there are ${known.join(', ')}`);
  return austrianSources.filter(({ id }) => ids.includes(id));
}

function render(chosen: readonly AustrianSource[]): string {
  try {
    return renderAustria(new Set(chosen.map(({ id }) => id)));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`--sources: ${error.message}`);
  }
}

/** Two files of the default names in one folder are ambiguous. */
async function refuseSecondFile(file: string, to: string | undefined): Promise<void> {
  for (const name of to === undefined ? CONFIG_FILES : []) {
    const other = path.join(path.dirname(file), name);
    if (other !== file && (await isThere(other))) {
      throw new UsageError(`there is a configuration already: ${other}. Move it away, or write elsewhere with --to`);
    }
  }
}

async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new UsageError(`${file} exists. Move it away, or write elsewhere with --to`);
    throw new UsageError(`cannot write ${file}: ${message}`);
  }
}

function listUnset(account: AustrianAccount, { environment }: Io): string[] {
  return austrianAccounts[account].variables.filter((name) => (environment[name] ?? '') === '');
}

function toListing({ id, list, about, licence, account }: AustrianSource) {
  return { id, list, about, licence, variables: account === null ? [] : austrianAccounts[account].variables };
}

interface Written {
  readonly file: string;
  readonly chosen: readonly AustrianSource[];
  /** Accounts of the chosen sources, and their variables that are not set. */
  readonly used: readonly AustrianAccount[];
  readonly unset: readonly string[];
}

function describe({ file, chosen, used, unset }: Written, { to, sources }: InitOptions, io: Io): string[] {
  const rows = chosen.map(({ id, about, licence }) => [id, about, licence]);
  const columns = ['SOURCE', 'WHAT', 'LICENCE'].map((title) => ({ title }));
  const more = sources === undefined ? accountNames.filter((name) => !used.includes(name)) : [];
  const withFile = to === undefined ? '' : ` --config ${to}`;
  return [
    `Wrote ${path.relative(io.cwd, file)}:`,
    '',
    ...renderTable(columns, rows),
    '',
    ...(unset.length === 0 ? [] : [`Set these variables first: ${unset.join(', ')}.`, '']),
    'Next:',
    `  taktgeber doctor${withFile}   # checks every source and account`,
    `  taktgeber up${withFile}       # fetches the timetables and starts the service`,
    ...more.flatMap(describeAccount),
  ];
}

function describeAccount(name: AustrianAccount): string[] {
  const { opens, remedy } = austrianAccounts[name];
  return ['', `More with an account: ${opens}.`, `  ${remedy}`, `  taktgeber init austria --account ${name}`];
}
