// Bundles the compiled program: a start loads a few dozen files instead of more than a thousand.
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const COMPILED = 'dist';
const ROOMS = ['api', 'jobs', 'pipeline'];
const TARGET = path.join('dist', 'program');
const MAIN = 'jobs/commands/cli.js';
/** As deep as the module that finds the folder of the rooms from its own address. */
const SHARED = 'pipeline/shared/[hash].js';
/** Code that the bundler itself adds, instead of an import of this package. */
const RUNTIME = '@oxc-project/runtime/';

/**
 * Writes `dist/program`: the command line, the modules that threads start with, and what they share. Packages stay where
 * npm has installed them.
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
    external: (id) => !id.startsWith('.') && !id.startsWith(RUNTIME) && !path.isAbsolute(id),
    plugins: [{ name: 'source-maps-of-the-compiler', load: loadWithMap }],
    logLevel: 'warn',
  });
  const { output } = await build.write({
    dir: aside,
    format: 'esm',
    entryFileNames: '[name]',
    chunkFileNames: SHARED,
    sourcemap: true,
  });
  await build.close();
  for (const name of entries) checkEntry(name, output, path.join(root, COMPILED, name));
  rmSync(path.join(root, TARGET), { recursive: true, force: true });
  renameSync(aside, path.join(root, TARGET));
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

/** A thread compares its address with the file it was started with, so its module may not move to a shared file. */
function checkEntry(name, output, file) {
  const chunk = output.find(({ fileName }) => fileName === name);
  if (chunk?.moduleIds.includes(file)) return;
  throw new Error(`${name} is imported by modules of other files; move what they need to a separate module`);
}
