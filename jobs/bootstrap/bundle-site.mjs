// Bundles what browsers load: a script and a style sheet for each page that has one, and files served as they are.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { drawIcon, drawPreview } from './draw-pictures.mjs';
import { listBundledPackages, renderLicences } from './package-licences.mjs';

const SOURCES = path.join('api', 'site', 'browser');
const TARGET = path.join('dist', 'site');
/** The program of every page: it runs before the first paint, so it is a classic script and not a module. */
const SHELL = 'shell';
const HASH_CHARACTERS = 10;

/** For home screens of iOS, and the two sizes that browsers require of a web app. */
const ICON_PIXELS = [180, 192, 512];
const PREVIEW = { width: 1200, height: 630 };

/** Files that scripts load by their address, by the constant in the scripts that holds it. */
const COPIED = {
  BASE_MAP_ADDRESS: 'data/lookups/base-map.json',
  MAP_WORKER_ADDRESS: 'node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs',
};

/**
 * Writes `dist/site`: hashed files, and `manifest.json`, which says what each page loads. Each folder of
 * `api/site/browser` with a `main.ts` or `main.tsx` is a page; a style sheet belongs to the module that imports it.
 * @param {string} root the project's folder
 */
export async function bundleSite(root) {
  // Imported here: the tasks of this folder also run before anything is installed.
  const { rolldown } = await import('rolldown');
  const aside = path.join(root, `${TARGET}-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  const { [SHELL]: shell, ...pages } = findEntries(path.join(root, SOURCES));
  const addresses = Object.entries(COPIED).map(([name, file]) => [
    name,
    JSON.stringify(`/site/${copyHashed(path.join(root, file), aside)}`),
  ]);
  const define = Object.fromEntries(addresses);
  const packages = new Set();
  const bundleAs = (input, format) => bundle(rolldown, root, aside, { input, format, define, packages });
  const entries = { ...(await bundleAs({ [SHELL]: shell }, 'iife')), ...(await bundleAs(pages, 'esm')) };
  const pictures = {
    icons: ICON_PIXELS.map((pixels) => ({ pixels, file: writeHashed(aside, `icon-${pixels}.png`, drawIcon(pixels)) })),
    preview: { ...PREVIEW, file: writeHashed(aside, 'preview.png', drawPreview(PREVIEW.width, PREVIEW.height)) },
  };
  const manifest = {
    entries,
    pictures,
    licences: writeHashed(aside, 'licences.txt', renderLicences([...packages].sort())),
  };
  writeFileSync(path.join(aside, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(path.join(root, TARGET), { recursive: true, force: true });
  renameSync(aside, path.join(root, TARGET));
}

function findEntries(folder) {
  const mains = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => ['main.ts', 'main.tsx'].map((main) => [name, path.join(folder, name, main)]));
  return Object.fromEntries(mains.filter(([, file]) => existsSync(file)));
}

/**
 * @param packages gets the folders of those whose code is in the scripts
 * @returns what each entry loads: its script, the chunks that this imports, and its style sheet
 */
async function bundle(rolldown, root, folder, { input, format, define, packages }) {
  const sheets = new Map();
  const build = await rolldown({
    input,
    cwd: root,
    tsconfig: path.join(root, SOURCES, 'tsconfig.json'),
    transform: { define },
    plugins: [keepStyles(sheets)],
    logLevel: 'warn',
  });
  const { output } = await build.write({
    dir: folder,
    format,
    minify: true,
    entryFileNames: `[name]-[hash].js`,
    chunkFileNames: `shared-[hash].js`,
  });
  await build.close();
  const chunks = output.filter(({ type }) => type === 'chunk');
  for (const folder of listBundledPackages(chunks)) packages.add(folder);
  return Object.fromEntries(
    chunks.filter(({ isEntry }) => isEntry).map((chunk) => [chunk.name, describeEntry(chunk, chunks, sheets, folder)]),
  );
}

function describeEntry(entry, chunks, sheets, folder) {
  const css = sheets.get(entry.facadeModuleId)?.join('\n');
  const style = css ? writeHashed(folder, `${entry.name}.css`, css) : null;
  return { script: entry.fileName, imports: listImports(entry, chunks), style };
}

/** All chunks that an entry imports, directly or not: a browser may ask for them at once. */
function listImports({ imports }, chunks, known = new Set()) {
  for (const name of imports.filter((one) => !known.has(one))) {
    known.add(name);
    listImports(
      chunks.find(({ fileName }) => fileName === name),
      chunks,
      known,
    );
  }
  return [...known];
}

/**
 * A module's import of a style sheet loads nothing in the script; `sheets` gets the texts of each entry's sheets, those
 * of what it imports first.
 */
function keepStyles(sheets) {
  return {
    name: 'keep-styles',
    load: (id) => (id.endsWith('.css') ? { code: '', moduleType: 'js', moduleSideEffects: true } : null),
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const module = this.getModuleInfo(id);
        if (module.isEntry) sheets.set(id, listSheets(this, id, new Set()));
      }
    },
  };
}

function listSheets(graph, id, seen) {
  if (seen.has(id)) return [];
  seen.add(id);
  if (id.endsWith('.css')) return [readFileSync(id, 'utf8')];
  return graph.getModuleInfo(id).importedIds.flatMap((imported) => listSheets(graph, imported, seen));
}

function copyHashed(file, folder) {
  return writeHashed(folder, path.basename(file), readFileSync(file));
}

function writeHashed(folder, name, content) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, HASH_CHARACTERS);
  const { name: stem, ext } = path.parse(name);
  const fileName = `${stem}-${hash}${ext}`;
  writeFileSync(path.join(folder, fileName), content);
  return fileName;
}
