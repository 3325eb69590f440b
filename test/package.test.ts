import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkPackages } from '../jobs/doctor/check-packages.ts';
import { projectPath } from '../pipeline/effects/project-files.ts';
import { temporaryFolder } from './jobs/fake-world.ts';

interface Manifest {
  readonly version: string;
  readonly devDependencies?: object;
}

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly resolved?: string;
}

interface Lock extends Manifest {
  readonly packages: Readonly<Record<string, LockedPackage & Manifest>>;
}

interface PackageTools {
  preparePackage(root: string): void;
  restoreProject(root: string): void;
  toShrinkwrap(lock: Lock): Lock;
}

const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

let tools: PackageTools;
let lock: Lock;
let manifest: Manifest;

beforeAll(async () => {
  tools = await import(pathToFileURL(projectPath('jobs/bootstrap/package.mjs')).href);
  lock = await readJson(projectPath('package-lock.json'));
  manifest = await readJson(projectPath('package.json'));
});

describe('the lock of the installed program', () => {
  it('is package-lock.json without development tools', () => {
    const shrinkwrap = tools.toShrinkwrap(lock);
    const runtime = Object.entries(lock.packages).filter(([place, { dev }]) => place !== '' && dev !== true);
    const { '': project, ...packages } = shrinkwrap.packages;
    expect(packages).toEqual(Object.fromEntries(runtime));
    expect(project).toEqual({ ...lock.packages[''], devDependencies: undefined });
    expect({ ...shrinkwrap, packages: null }).toEqual({ ...lock, packages: null });
  });

  it('contains no registry and no path outside the program', () => {
    const entries = Object.entries(lock.packages).filter(([place]) => place !== '');
    expect(entries.filter(([place, { resolved }]) => !place.startsWith('node_modules/') || resolved)).toEqual([]);
  });
});

describe('npm pack', () => {
  const project = { name: 'x', version: '1.0.0', dependencies: { a: '1.0.0' }, devDependencies: { b: '1.0.0' } };
  const projectLock = {
    lockfileVersion: 3,
    packages: {
      '': project,
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', dev: true },
    },
  };

  async function makeProject(): Promise<string> {
    const root = await temporaryFolder();
    await writeFile(path.join(root, 'package.json'), JSON.stringify(project));
    await writeFile(path.join(root, 'package-lock.json'), JSON.stringify(projectLock));
    return root;
  }

  it('packs a lock without development tools', async () => {
    const root = await makeProject();
    tools.preparePackage(root);
    const { devDependencies: _tools, ...packed } = project;
    expect(await readJson(path.join(root, 'package.json'))).toEqual(packed);
    expect(await readJson(path.join(root, 'npm-shrinkwrap.json'))).toEqual({
      lockfileVersion: 3,
      packages: { '': packed, 'node_modules/a': { version: '1.0.0' } },
    });
  });

  it.each([
    ['once', 1],
    ['again after it was killed', 2],
  ])('leaves the project unchanged, %s', async (_title, times) => {
    const root = await makeProject();
    for (let time = 0; time < times; time++) tools.preparePackage(root);
    tools.restoreProject(root);
    expect(await readFile(path.join(root, 'package.json'), 'utf8')).toBe(JSON.stringify(project));
    expect(existsSync(path.join(root, 'npm-shrinkwrap.json'))).toBe(false);
    tools.restoreProject(root);
    expect(await readFile(path.join(root, 'package.json'), 'utf8')).toBe(JSON.stringify(project));
  });
});

it('has one version in its manifest, its lock and its changelog', async () => {
  const changelog = await readFile(projectPath('CHANGELOG.md'), 'utf8');
  const [, newest] = /^## \[(\d[^\]]*)\]/m.exec(changelog) ?? [];
  expect([lock.version, lock.packages['']?.version, newest]).toEqual(Array(3).fill(manifest.version));
});

describe('doctor', () => {
  const shrinkwrap = JSON.stringify({
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/a/node_modules/b': { version: '2.0.0' },
      'node_modules/c': { version: '1.0.0', optional: true },
    },
  });

  async function install(root: string, versions: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(root, { recursive: true });
    await writeFile(path.join(root, 'npm-shrinkwrap.json'), shrinkwrap);
    for (const [place, version] of Object.entries(versions)) {
      await mkdir(path.join(root, place), { recursive: true });
      await writeFile(path.join(root, place, 'package.json'), JSON.stringify({ version }));
    }
  }

  it.each([
    ['the locked versions', { 'node_modules/a': '1.0.0', 'node_modules/a/node_modules/b': '2.0.0' }, null],
    [
      'another version',
      { 'node_modules/a': '1.0.1', 'node_modules/a/node_modules/b': '2.0.0' },
      'a is 1.0.1 instead of 1.0.0',
    ],
    ['a package that is missing', { 'node_modules/a': '1.0.0' }, 'b is missing instead of 2.0.0'],
  ])('reports %s', async (_title, versions, complaint) => {
    const root = await temporaryFolder();
    await install(root, versions);
    expect(await checkPackages(root)).toMatchObject(
      complaint === null ? { status: 'good' } : { status: 'warning', sentence: complaint },
    );
  });

  it('reports packages that npm installed beside the program', async () => {
    const root = path.join(await temporaryFolder(), 'node_modules', 'taktgeber');
    await install(root, { '../../node_modules/a': '1.5.0', '../../node_modules/a/node_modules/b': '2.0.0' });
    expect(await checkPackages(root)).toMatchObject({ status: 'warning', sentence: 'a is 1.5.0 instead of 1.0.0' });
  });

  it('skips the comparison in a checkout, which has no lock', async () => {
    expect(await checkPackages(await temporaryFolder())).toBeNull();
  });
});
