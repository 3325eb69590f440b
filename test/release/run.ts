import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { projectPath, projectRoot, readCodeVersion } from '../../pipeline/effects/project-files.ts';
import { runTool } from '../interop/tools.ts';
import { installProgram, listMaterials } from './install-program.ts';
import { openFormerData } from './open-former-data.ts';
import { packProgram } from './pack-program.ts';
import { runProgram } from './run-program.ts';

/*
 * `npm run release`: packs the program, installs it into an empty folder and tests it there. With `--dry-run` nothing is
 * kept. Otherwise the checkout must be clean and its changelog dated, and the files to publish are written to `release/`.
 */
const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, seconds: { type: 'string', default: '60' } },
});
const seconds = Number(values.seconds);
if (!Number.isFinite(seconds) || seconds < 0) throw new Error('--seconds must be a number of seconds');

/** Runs a step and prints its summary line; the first failure ends the release. */
async function step(name: string, run: () => Promise<string>): Promise<void> {
  const started = performance.now();
  const line = await run();
  const took = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`ok  ${took} s  ${name}: ${line}\n`);
}

/** @throws Error if the checkout differs from the commit to be tagged */
async function assertReleasable(version: string): Promise<string> {
  const changed = (await runTool('git', ['status', '--porcelain'], '', projectRoot)).trim();
  if (changed !== '') throw new Error(`the checkout has uncommitted changes:\n${changed}`);
  const changelog = await readFile(projectPath('CHANGELOG.md'), 'utf8');
  const dated = /^## \[(.+)\] - \d{4}-\d{2}-\d{2}$/gm;
  if (![...changelog.matchAll(dated)].some(([, name]) => name === version)) {
    throw new Error(`CHANGELOG.md has no dated section for ${version}`);
  }
  const tags = await runTool('git', ['tag', '--list', `v${version}`], '', projectRoot);
  if (tags.trim() !== '') throw new Error(`the tag v${version} exists already`);
  return `${version}, clean and dated`;
}

/** Writes the tarball, its bill of materials and their hashes to `release/`, and tags the commit. */
async function keepRelease(version: string, tarball: string, bill: string): Promise<string> {
  const kept = projectPath('release');
  await rm(kept, { recursive: true, force: true });
  await mkdir(kept);
  const names = [path.basename(tarball), `taktgeber-${version}.cdx.json`] as const;
  await copyFile(tarball, path.join(kept, names[0]));
  await writeFile(path.join(kept, names[1]), bill);
  const sums = names.map(async (name) => {
    const hash = createHash('sha256').update(await readFile(path.join(kept, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  await writeFile(path.join(kept, 'SHA256SUMS'), (await Promise.all(sums)).join(''));
  await runTool('git', ['tag', '--annotate', '--message', `Taktgeber ${version}`, `v${version}`], '', projectRoot);
  return `release/ holds ${names.join(', ')} and SHA256SUMS; the commit has the tag v${version}`;
}

async function release(folder: string): Promise<void> {
  const version = await readCodeVersion();
  const isKept = !values['dry-run'];
  if (isKept) await step('checkout', () => assertReleasable(version));
  const prefix = path.join(folder, 'taktgeber');
  let tarball = '';
  let bill = '';
  await step('pack', async () => {
    tarball = await packProgram(folder);
    return path.basename(tarball);
  });
  await step('install', () => installProgram(tarball, prefix));
  await step('packages and licences', async () => {
    const materials = await listMaterials(prefix);
    bill = materials.bill;
    return materials.line;
  });
  await step('data of the previous release', () => openFormerData(prefix, folder));
  await mkdir(path.join(folder, 'empty'));
  await step('up and doctor', () => runProgram(prefix, path.join(folder, 'empty'), seconds));
  if (isKept) await step('release', () => keepRelease(version, tarball, bill));
}

// Outside the project, so that no package of it is found; on disk, because half a gigabyte would fill the memory.
const parent = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();
const folder = await mkdtemp(path.join(parent, 'taktgeber-release-'));
try {
  await release(folder);
} catch (error) {
  process.stderr.write(`FAILED  ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
