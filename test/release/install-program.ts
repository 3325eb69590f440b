import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../interop/tools.ts';
import { permissiveLicences, reviewedLicences } from '../support/checks/licences.ts';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly optional?: boolean;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Bill {
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/**
 * Installs the packed program as described in docs/operations.md, and compares the installed packages with the lock.
 * @returns the number of packages
 */
export async function installProgram(tarball: string, prefix: string): Promise<string> {
  await mkdir(prefix, { recursive: true });
  await runTool('tar', ['-xzf', tarball, '--strip-components=1', '-C', prefix], '');
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const output = await runTool('npm', ['ci', ...options], '', prefix);
  if (output.includes('EBADENGINE')) throw new Error(`a package does not support this version of Node:\n${output}`);
  const locked = await readPackages(path.join(prefix, 'npm-shrinkwrap.json'));
  const installed = await readPackages(path.join(prefix, 'node_modules', '.package-lock.json'));
  const differing = [...installed].filter(([place, one]) => !isSame(one, locked.get(place)));
  const missing = [...locked].filter(([place, { optional }]) => !optional && !installed.has(place));
  if (differing.length + missing.length > 0) {
    const places = [...differing, ...missing].map(([place]) => place);
    throw new Error(`${places.length} packages differ from the lock: ${places.join(', ')}`);
  }
  return `${installed.size} packages, all as in the lock`;
}

async function readPackages(file: string): Promise<ReadonlyMap<string, LockedPackage>> {
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as Lock;
  return new Map(Object.entries(packages).filter(([place]) => place !== ''));
}

function isSame(one: LockedPackage, other: LockedPackage | undefined): boolean {
  return one.version === other?.version && one.integrity === other.integrity;
}

/**
 * Lists the installed packages with `npm sbom`, and checks their licences.
 * @returns the bill of materials, and a summary line
 */
export async function listMaterials(prefix: string): Promise<{ readonly bill: string; readonly line: string }> {
  const bill = await runTool('npm', ['sbom', '--sbom-format', 'cyclonedx'], '', prefix);
  const { components } = JSON.parse(bill) as Bill;
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const installed = [...(await readPackages(path.join(prefix, 'node_modules', '.package-lock.json')))].map(
    ([place, facts]) => ({ name: place.replace(/^.*node_modules\//, ''), ...facts }),
  );
  const unlisted = installed.filter(({ name, version }) => !listed.has(`${name}@${version}`));
  if (unlisted.length > 0) throw new Error(`npm sbom omits ${unlisted.map(({ name }) => name).join(', ')}`);
  const unknown = installed.filter(({ name, license = 'none' }) => !isLicenceKnown(name, license));
  if (unknown.length > 0) {
    throw new Error(`licences to review: ${unknown.map(({ name, license }) => `${name} (${license})`).join(', ')}`);
  }
  return { bill, line: `${components.length} packages, all licences known` };
}

function isLicenceKnown(name: string, licence: string): boolean {
  return permissiveLicences.includes(licence) || reviewedLicences[name]?.[0] === licence;
}
