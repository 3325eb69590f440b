import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../pipeline/effects/project-files.ts';

const snapshotContract = [
  'pipeline/snapshots/contract.ts',
  'pipeline/snapshots/realtime-contract.ts',
  'pipeline/snapshots/history-contract.ts',
  'pipeline/snapshots/column.ts',
  'pipeline/snapshots/arrow-table.ts',
  'pipeline/snapshots/timetable-files.ts',
  'pipeline/snapshots/realtime-files.ts',
];

/**
 * Which rooms a room may import from, itself aside. What a room may import is what a reader need not look behind it
 * for; to add to it is a decision, to be written down in ARCHITECTURE.md.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'pipeline/model': [],
  'pipeline/formats': ['pipeline/model'],
  'pipeline/normalise': ['pipeline/model', 'pipeline/formats'],
  'pipeline/sources': ['pipeline/model', 'pipeline/formats', 'pipeline/normalise'],
  'pipeline/effects': ['pipeline/model'],
  'pipeline/config': ['pipeline/model', 'pipeline/effects', 'pipeline/sources'],
  'pipeline/lake': ['pipeline/model', 'pipeline/effects'],
  'pipeline/timetable': ['pipeline/model', 'pipeline/effects', 'pipeline/lake'],
  // Calls of a day are made of the timetable as boards have them: by its own rules, under the names of the snapshot.
  'pipeline/archives': ['pipeline/model', 'pipeline/effects', 'pipeline/lake'],
  'pipeline/marts': [
    'pipeline/model',
    'pipeline/effects',
    'pipeline/lake',
    'pipeline/timetable',
    'pipeline/snapshots/contract.ts',
    'pipeline/snapshots/history-contract.ts',
  ],
  // What the tables of the lake mean, for whoever opens it: their columns stand with those who write them.
  'pipeline/guide': [
    'pipeline/model',
    'pipeline/effects',
    'pipeline/lake',
    'pipeline/timetable',
    'pipeline/marts',
    'pipeline/predictions',
  ],
  'pipeline/predictions': ['pipeline/model', 'pipeline/effects', 'pipeline/lake'],
  // Of the snapshots, both know the contract: the rows of the timetable that upstreams' words are matched to.
  'pipeline/matching': ['pipeline/model', ...snapshotContract],
  'pipeline/realtime': ['pipeline/model', 'pipeline/matching', ...snapshotContract],
  'pipeline/streets': ['pipeline/model', 'pipeline/effects'],
  'pipeline/snapshots': [
    'pipeline/model',
    'pipeline/effects',
    'pipeline/lake',
    'pipeline/streets',
    'pipeline/timetable',
    'pipeline/marts',
    'pipeline/predictions',
  ],
  'pipeline/polling': [
    'pipeline/model',
    'pipeline/effects',
    'pipeline/sources',
    'pipeline/lake',
    'pipeline/realtime',
    'pipeline/matching',
    'pipeline/snapshots',
  ],
  'pipeline/sample': ['pipeline/model', 'pipeline/formats', 'pipeline/effects'],
  // Of the api, jobs start the server and know nothing else.
  jobs: ['pipeline/', 'api/start-api.ts'],
  // Of the snapshots, the api knows the contract and how its tables are read.
  api: [
    'pipeline/model',
    'pipeline/effects',
    'pipeline/streets',
    ...snapshotContract,
    // The one way in the other direction: what somebody looks at on the map.
    'pipeline/snapshots/vehicle-demand-files.ts',
  ],
};

/** Same input, same output: no disk, net, clock or environment. */
const pureRooms = [
  'pipeline/model',
  'pipeline/formats',
  'pipeline/sources',
  'pipeline/normalise',
  'pipeline/matching',
  'pipeline/realtime',
];

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
      if (!entry.isFile() || !/\.m?[jt]s$/.test(entry.name)) continue;
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(projectRoot, file).split(path.sep).join('/');
      const text = await readFile(file, 'utf8');
      files.push({ name, text, imports: findImports(name, text) });
    }
  }
});

/** What a file imports: files of the project by their path in it, packages and built-ins by name. */
function findImports(name: string, text: string): string[] {
  const found = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g);
  return [...found].map(([, target]) =>
    target!.startsWith('.') ? path.posix.join(path.posix.dirname(name), target!) : target!,
  );
}

function roomOf(name: string): string {
  return name.startsWith('pipeline/') ? name.split('/').slice(0, 2).join('/') : name.split('/')[0]!;
}

const isInside = (name: string, place: string) =>
  name === place || name.startsWith(place.endsWith('/') ? place : `${place}/`);

/** `file: what is wrong`, for all files that break a rule. */
function findAll(isWanted: (file: SourceFile) => boolean, findIn: (file: SourceFile) => readonly string[]): string[] {
  return files.filter(isWanted).flatMap((file) => findIn(file).map((what) => `${file.name}: ${what}`));
}

describe('rooms', () => {
  it('are all known', () => {
    expect([...new Set(files.map(({ name }) => roomOf(name)))].filter((room) => !(room in mayImport))).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });

  it('import only what they may', () => {
    const projectFiles = /^(pipeline|jobs|api|test)\//;
    const wrong = findAll(
      () => true,
      ({ name, imports }) => {
        const room = roomOf(name);
        const allowed = [room, ...mayImport[room]!];
        return imports.filter(
          (target) => projectFiles.test(target) && !allowed.some((place) => isInside(target, place)),
        );
      },
    );
    expect(wrong).toEqual([]);
  });

  it('that are pure import no built-in', () => {
    const wrong = findAll(
      ({ name }) => pureRooms.some((room) => isInside(name, room)),
      ({ imports }) => imports.filter((target) => target.startsWith('node:')),
    );
    expect(wrong).toEqual([]);
  });

  it('the engine of the api knows neither HTTP nor the disk', () => {
    const wrong = findAll(
      ({ name }) => isInside(name, 'api/engine'),
      ({ imports }) =>
        imports.filter((target) => /^@?fastify|^node:(fs|http|https|net|process)|^pipeline\/effects\//.test(target)),
    );
    expect(wrong).toEqual([]);
  });

  it('import built-ins by their full name, and files with their ending', () => {
    const builtIns = ['fs', 'path', 'os', 'crypto', 'stream', 'http', 'child_process', 'url', 'util'];
    const wrong = findAll(
      () => true,
      ({ imports }) =>
        imports.filter(
          (target) =>
            builtIns.includes(target.split('/')[0]!) ||
            (/^(pipeline|jobs|api)\//.test(target) && !/\.(m?[jt]s)$/.test(target)),
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('hold no drawer for everything', () => {
    expect(
      files.map(({ name }) => name).filter((name) => /(^|[/-])(utils?|helpers?|common|misc)([./-]|$)/.test(name)),
    ).toEqual([]);
  });
});

describe('time', () => {
  /** Code without its comments, which may well speak of what is not to be done. */
  const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');

  it('is never read from the clock on the wall of this machine', () => {
    const local = /\.(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|TimezoneOffset)\(/g;
    expect(
      findAll(
        () => true,
        ({ text }) => withoutComments(text).match(local) ?? [],
      ),
    ).toEqual([]);
  });

  it('comes from the clock that was handed in', () => {
    const now = /\bDate\.now\b|\bnew Date\(\)/g;
    const wrong = findAll(
      ({ name }) => !isInside(name, 'pipeline/effects'),
      ({ text }) => withoutComments(text).match(now) ?? [],
    );
    expect(wrong).toEqual([]);
  });
});
