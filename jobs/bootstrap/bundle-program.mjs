// Bundles the compiled program: a start loads a few dozen files instead of more than a thousand.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listBundledPackages, renderLicences } from './package-licences.mjs';

const COMPILED = 'dist';
const ROOMS = ['api', 'jobs', 'pipeline'];
const TARGET = path.join('dist', 'program');
const MAIN = 'jobs/commands/cli.js';
/** As deep as the module that finds the folder of the rooms from its own address. */
const SHARED = 'pipeline/shared/[hash].js';
/** Code that the bundler itself adds, instead of an import of this package. */
const RUNTIME = '@oxc-project/runtime/';
/**
 * Packages that a start of the service loads, in hundreds of files. They are bundled with their dependencies. Not in the
 * list: packages with a native part, with files that they read beside their code, or loaded only when they are needed.
 */
const BUNDLED = new Set([
  '@fastify/static',
  'ajv',
  'ajv-formats',
  'apache-arrow',
  'commander',
  'fastify',
  'geokdbush',
  'kdbush',
  'leven',
  'pino',
  'prom-client',
  'yaml',
]);

/**
 * Writes `dist/program`: the command line, the modules that threads start with, what they share, the hash of all that, and
 * the licences of the packages in it. Other packages stay where npm has installed them.
 * @param {string} root the project's folder
 */
export async function bundleProgram(root) {
  // Imported here: the tasks of this folder also run before anything is installed.
  const { rolldown } = await import('rolldown');
  const aside = path.join(root, `${TARGET}-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  const entries = [MAIN, ...findThreadModules(root)];
  const build = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, path.join(root, COMPILED, name)])),
    cwd: root,
    platform: 'node',
    tsconfig: false,
    external: isExternal,
    plugins: [
      { name: 'source-maps-of-the-compiler', load: loadWithMap },
      { name: 'narrow-characters', generateBundle: escapeWide },
    ],
    logLevel: 'warn',
  });
  const { output } = await build.write({
    dir: aside,
    format: 'esm',
    entryFileNames: '[name]',
    chunkFileNames: SHARED,
    sourcemap: true,
    // Node keeps the code and the maps of every thread in memory.
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await build.close();
  for (const name of entries) checkEntry(name, output, path.join(root, COMPILED, name));
  writeFileSync(path.join(aside, 'code-hash'), hashCode(output));
  writeFileSync(path.join(aside, 'licences.txt'), renderLicences(listBundledPackages(output)));
  rmSync(path.join(root, TARGET), { recursive: true, force: true });
  renameSync(aside, path.join(root, TARGET));
}

/** Identifies the program: a start reads it instead of all files. */
function hashCode(output) {
  const hash = createHash('sha256');
  const files = output.map(({ fileName, code = '' }) => `${fileName}\n${code}`).sort();
  for (const file of files) hash.update(file);
  return hash.digest('hex');
}

/** @param importer file that imports it; absent for an entry */
function isExternal(id, importer = '') {
  if (id.startsWith('.') || id.startsWith(RUNTIME) || path.isAbsolute(id)) return false;
  // What a bundled package needs is installed for it and possibly not found from the bundle.
  if (importer.includes('node_modules')) return false;
  return !BUNDLED.has(/^(?:@[^/]+\/)?[^/]+/.exec(id)[0]);
}

function findThreadModules(root) {
  return ROOMS.flatMap((room) =>
    readdirSync(path.join(root, COMPILED, room), { recursive: true })
      .filter((name) => name.endsWith('.js'))
      .map((name) => `${room}/${name.split(path.sep).join('/')}`),
  ).filter((name) => /^serveThread\b/m.test(readFileSync(path.join(root, COMPILED, name), 'utf8')));
}

function loadWithMap(id) {
  if (!path.isAbsolute(id) || !id.endsWith('.js') || id.includes('node_modules')) return null;
  return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
}

/**
 * One character beyond Latin-1 doubles the memory of the whole file, in every thread. No file has such characters in
 * names or raw templates. In the lines with them, maps are exact to the line only.
 */
function escapeWide(_options, files) {
  const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  for (const file of Object.values(files)) {
    if (file.type === 'chunk') file.code = file.code.replace(/[\u0100-\uffff]/g, toEscape);
  }
}

/** A thread compares its address with the file it was started with, so its module may not move to a shared file. */
function checkEntry(name, output, file) {
  const chunk = output.find(({ fileName }) => fileName === name);
  if (chunk?.moduleIds.includes(file)) return;
  throw new Error(`${name} is imported by modules of other files; move what they need to a separate module`);
}
