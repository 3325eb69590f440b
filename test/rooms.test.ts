import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../pipeline/effects/project-files.ts';
import { findCircles } from './support/checks/circles.ts';
import { findRoom, mayImport } from './support/checks/find-room.ts';
import { rooms } from './support/checks/rooms.ts';

interface SourceFile {
  /** Path in the project, with forward slashes. */
  readonly name: string;
  readonly text: string;
  readonly imports: readonly string[];
}

let files: SourceFile[];

beforeAll(async () => {
  files = [];
  for (const folder of ['pipeline', 'jobs', 'api']) {
    for (const entry of await readdir(path.join(projectRoot, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(m?[jt]s|tsx)$/.test(entry.name)) continue;
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(projectRoot, file).split(path.sep).join('/');
      const text = await readFile(file, 'utf8');
      files.push({ name, text, imports: findImports(name, text) });
    }
  }
});

/** The imports of a file: project files by path, packages and built-ins by name. */
function findImports(name: string, text: string): string[] {
  const found = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g);
  return [...found].map(([, target]) =>
    target!.startsWith('.') ? path.posix.join(path.posix.dirname(name), target!) : target!,
  );
}

/** Project files that are loaded together with a file. */
function findStaticImports(name: string, text: string): string[] {
  const found = text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;']*?\bfrom\s+)?'(\.[^']+)'/gm);
  return [...found].map(([, target]) => path.posix.join(path.posix.dirname(name), target!));
}

const isInside = (name: string, place: string) =>
  name === place || name.startsWith(place.endsWith('/') ? place : `${place}/`);

/** `file: finding` for all files that violate a rule. */
function findAll(isWanted: (file: SourceFile) => boolean, findIn: (file: SourceFile) => readonly string[]): string[] {
  return files.filter(isWanted).flatMap((file) => findIn(file).map((what) => `${file.name}: ${what}`));
}

const projectFiles = /^(pipeline|jobs|api|test)\//;

/** Rooms that ARCHITECTURE.md describes under another room. */
const DESCRIBED_WITH_OTHERS = [
  'pipeline/backup',
  'pipeline/osm',
  'pipeline/streets',
  'pipeline/places',
  'pipeline/guide',
];

describe('rooms', () => {
  it('contain every file, and none is empty', () => {
    expect(files.map(({ name }) => name).filter((name) => findRoom(name) === null)).toEqual([]);
    expect(rooms.filter(({ path }) => !files.some(({ name }) => findRoom(name)?.path === path))).toEqual([]);
  });

  it('are described in ARCHITECTURE.md, themselves or the room around them', async () => {
    const text = await readFile(path.join(projectRoot, 'ARCHITECTURE.md'), 'utf8');
    const headings = [...text.matchAll(/^### (.+)$/gm)].flatMap(([, heading]) => heading!.split(', '));
    const described = headings.map((name) => name.replaceAll('`', ''));
    const isDescribed = (room: string) => described.some((name) => isInside(room, name));
    expect(described.filter((name) => !files.some((file) => isInside(file.name, name)))).toEqual([]);
    expect(rooms.map(({ path }) => path).filter((room) => room !== 'api' && !isDescribed(room))).toEqual([
      ...DESCRIBED_WITH_OTHERS,
    ]);
  });

  it('import only from the rooms that they list', () => {
    const wrong = findAll(
      () => true,
      ({ name, imports }) =>
        imports.filter((target) => projectFiles.test(target) && !mayImport(findRoom(name)!, target)),
    );
    expect(wrong).toEqual([]);
  });

  it('load code for several machines only if it is configured', () => {
    const wrong = findAll(
      ({ name }) => !name.startsWith('jobs/') && !name.startsWith('pipeline/scale-out/'),
      ({ text }) =>
        [...text.matchAll(/import (?!type\b)[^;]*? from '[^']*scale-out\/[^']*'/g)].map(([statement]) => statement),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    'jobs/commands/up.ts',
    'jobs/commands/schedule.ts',
    'jobs/runner/run.ts',
    'jobs/runner/backfill.ts',
    'api/start-api.ts',
  ])('do not load code for several machines with %s', (entry) => {
    const loaded = new Map([[entry, '']]);
    for (const name of loaded.keys()) {
      const { text } = files.find((file) => file.name === name)!;
      for (const target of findStaticImports(name, text)) if (!loaded.has(target)) loaded.set(target, name);
    }
    expect(loaded.size).toBeGreaterThan(20);
    const wrong = [...loaded].filter(([name]) => name.startsWith('pipeline/scale-out/'));
    expect(wrong.map(([name, by]) => `${name}, imported by ${by}`)).toEqual([]);
  });

  it('wait between attempts as a retry policy says', () => {
    // Its delay counts checks of a pointer, not milliseconds.
    const exception = 'api/plugins/snapshot-holder.ts';
    const wrong = findAll(
      ({ name }) => name !== 'pipeline/model/retry-policy.ts' && name !== exception,
      ({ text }) => text.match(/\*\* (?:Math\.min)?\(?(?:attempt|failures|tries|retries|deaths)\w*/g) ?? [],
    );
    expect(wrong).toEqual([]);
  });

  it('import no built-in modules if they are pure', () => {
    const wrong = findAll(
      ({ name }) => findRoom(name)!.isPure === true,
      ({ imports }) => imports.filter((target) => target.startsWith('node:')),
    );
    expect(wrong).toEqual([]);
  });

  it('have no cyclic imports of files, types included', () => {
    const imports = new Map(files.map(({ name, imports: targets }) => [name, targets]));
    expect(findCircles(imports)).toEqual([]);
  });

  it('have no cyclic imports of folders, types included', () => {
    const imports = new Map<string, string[]>();
    for (const { name, imports: targets } of files) {
      const known = imports.get(path.posix.dirname(name)) ?? [];
      known.push(...targets.filter((target) => projectFiles.test(target)).map(path.posix.dirname));
      imports.set(path.posix.dirname(name), known);
    }
    expect(findCircles(imports)).toEqual([]);
  });

  it('keep HTTP and the disk out of the engine of the API', () => {
    const wrong = findAll(
      ({ name }) => isInside(name, 'api/engine'),
      ({ imports }) =>
        imports.filter((target) => /^@?fastify|^node:(fs|http|https|net|process)|^pipeline\/effects\//.test(target)),
    );
    expect(wrong).toEqual([]);
  });

  it('import built-ins with the prefix "node:", and files with their extension', () => {
    const builtIns = ['fs', 'path', 'os', 'crypto', 'stream', 'http', 'child_process', 'url', 'util'];
    const wrong = findAll(
      () => true,
      ({ imports }) =>
        imports.filter(
          (target) =>
            builtIns.includes(target.split('/')[0]!) ||
            (/^(pipeline|jobs|api)\//.test(target) && !/\.(m?[jt]s|tsx|css)$/.test(target)),
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('load only packages that an installed program has', async () => {
    const manifest = JSON.parse(await readFile(path.join(projectRoot, 'package.json'), 'utf8'));
    const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies ?? {})];
    // The pages are bundled, and the build runs where the tools are.
    const isProgram = ({ name }: SourceFile) => !/^(api\/site\/browser|jobs\/bootstrap)\//.test(name);
    const loaded = /^(?:import|export)\s+(?!type\b)(?:[^;']*?\bfrom\s+)?'([^.][^']*)'/gm;
    const packageOf = (target: string) => /^(?:@[^/]+\/)?[^/]+/.exec(target)![0];
    const wrong = findAll(isProgram, ({ text }) =>
      [...text.matchAll(loaded)]
        .map(([, target]) => target!)
        .filter((target) => !target.startsWith('node:') && !installed.includes(packageOf(target))),
    );
    expect(wrong).toEqual([]);
  });

  it('have no catch-all files or folders', () => {
    expect(
      files.map(({ name }) => name).filter((name) => /(^|[/-])(utils?|helpers?|common|misc)([./-]|$)/.test(name)),
    ).toEqual([]);
  });
});

describe('time', () => {
  /** Code without comments, which may mention forbidden names. */
  const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');

  it('never uses the time zone of this machine', () => {
    const local = /\.(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|TimezoneOffset)\(/g;
    expect(
      findAll(
        () => true,
        ({ text }) => withoutComments(text).match(local) ?? [],
      ),
    ).toEqual([]);
  });

  it('comes from the clock in effects', () => {
    const now = /\bDate\.now\b|\bnew Date\(\)/g;
    const wrong = findAll(
      ({ name }) => !isInside(name, 'pipeline/effects'),
      ({ text }) => withoutComments(text).match(now) ?? [],
    );
    expect(wrong).toEqual([]);
  });
});
