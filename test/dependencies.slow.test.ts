import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectPath, projectRoot } from '../pipeline/effects/project-files.ts';
import { permissiveLicences, reviewedLicences } from './support/checks/licences.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
  readonly hashes?: readonly { readonly alg: string }[];
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly license?: string;
  readonly version: string;
}

/** The software bill of materials of the project, including development tools. */
let components: readonly Component[];
/** All packages by name, and those of an installed program. */
let locked: ReadonlyMap<string, LockedPackage>;
let installed: ReadonlyMap<string, LockedPackage>;

beforeAll(async () => {
  // Not with `--omit dev`: npm 11 then omits packages that the program shares with development tools.
  const argv = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const { stdout } = await promisify(execFile)('npm', argv, { cwd: projectRoot, maxBuffer: 10 ** 8 });
  components = (JSON.parse(stdout) as { components: readonly Component[] }).components;
  const lock = JSON.parse(await readFile(projectPath('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const packages = Object.entries(lock.packages).filter(([place]) => place !== '');
  const byName = (list: typeof packages) =>
    new Map(list.map(([place, facts]) => [place.replace(/^.*node_modules\//, ''), facts]));
  locked = byName(packages);
  installed = byName(packages.filter(([, { dev }]) => dev !== true));
});

describe('the bill of materials', () => {
  it('names every package', () => {
    expect([...new Set(components.map(({ name }) => name))].sort()).toEqual([...locked.keys()].sort());
  });

  it('identifies each by version and hash', () => {
    const vague = components.filter(({ purl, hashes }) => !purl.startsWith('pkg:npm/') || !hashes?.length);
    expect(vague.map(({ name }) => name)).toEqual([]);
  });
});

describe('the licences', () => {
  it('are permissive or reviewed', () => {
    const others = [...installed].filter(([, { license }]) => !permissiveLicences.includes(license ?? ''));
    const stated = others.map(([name, { license }]) => [name, license] as const);
    expect(stated).toEqual(
      Object.entries(reviewedLicences)
        .map(([name, [license]]) => [name, license])
        .sort(),
    );
  });

  it('are in the bill of materials if they have an SPDX name', () => {
    const unnamed = components.filter(({ licenses }) => !licenses?.length).map(({ name }) => name);
    expect(unnamed.filter((name) => installed.has(name) && reviewedLicences[name] === undefined)).toEqual([]);
  });
});
