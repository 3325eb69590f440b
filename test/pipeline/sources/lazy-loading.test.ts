import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { chooseCommands, commandFiles } from '../../../jobs/commands/command-files.ts';
import { projectRoot } from '../../../pipeline/effects/project-files.ts';

/** Packages loaded with a file: by its imports and theirs, without dynamic ones. */
async function listLoaded(entry: string): Promise<Set<string>> {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    const text = await readFile(path.join(projectRoot, file), 'utf8');
    for (const [, target] of text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm)) {
      if (target!.startsWith('.')) files.add(path.posix.join(path.posix.dirname(file), target!));
      else packages.add(target!);
    }
  }
  return packages;
}

const GRAMMARS = ['protobufjs', 'fast-xml-parser', 'hafas-client'];
const isGrammar = (name: string) => GRAMMARS.some((one) => name === one || name.startsWith(`${one}/`));

it('loads no package with the list of all kinds', async () => {
  const loaded = await listLoaded('pipeline/sources/registry/source-definitions.ts');
  expect([...loaded]).toEqual([]);
});

it.each([
  ['pipeline/sources/gtfs-rt/gtfs-rt-source.ts', 'protobufjs/light.js'],
  ['pipeline/sources/trias/trias-source.ts', 'fast-xml-parser'],
])('%s, loaded to create a source, loads only %s', async (file, grammar) => {
  expect([...(await listLoaded(file))].filter(isGrammar)).toEqual([grammar]);
});

it('loads no grammar before a configuration needs one', async () => {
  const loaded = await listLoaded('jobs/commands/main.ts');
  expect(loaded).toContain('commander');
  expect([...loaded].filter(isGrammar)).toEqual([]);
});

const commands = Object.keys(commandFiles);

it.each(commands)('the command %s, loaded to read its arguments, loads no engine', async (command) => {
  const loaded = await listLoaded(`jobs/commands/${command}.ts`);
  const engines = ['@duckdb/node-api', 'apache-arrow', 'libsql', 'undici', 'fastify'];
  expect(engines.filter((name) => loaded.has(name))).toEqual([]);
});

it('loads no engine with the list of all jobs', async () => {
  const loaded = await listLoaded('jobs/definitions/all-jobs.ts');
  expect(['@duckdb/node-api', 'apache-arrow', 'libsql'].filter((name) => loaded.has(name))).toEqual([]);
});

it.each([
  [['status', '--json'], ['status']],
  [['--version'], []],
  [['--help'], commands],
  [['help', 'status'], commands],
  [['completion', 'bash'], commands],
  [['stauts'], commands],
  [[], commands],
])('%j needs the commands %j', (argv, expected) => {
  expect(chooseCommands(argv)).toEqual(expected);
});

it.each(commands)('finds the command %s by its name', async (name) => {
  const { Command } = await import('commander');
  const program = new Command();
  const add = await commandFiles[name]!();
  add(program, { jobs: [] } as never);
  expect(program.commands.map((command) => command.name())).toEqual([name]);
});
