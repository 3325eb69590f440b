import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { temporaryFolder } from './fake-world.ts';

/** A compiled project: its command line, a thread, and packages of which the list of the bundle names `fastify`. */
const compiled = {
  'package.json': '{ "type": "module" }',
  'dist/jobs/commands/cli.js': `
    import fastify from 'fastify';
    import pg from 'pg';
    console.log(fastify(), pg, '–');`,
  'dist/api/thread.js': 'serveThread(import.meta.url);\nfunction serveThread() {}',
  'dist/pipeline/empty.js': 'export {};',
  'node_modules/fastify/package.json': '{ "name": "fastify", "version": "1.2.3", "license": "MIT" }',
  'node_modules/fastify/index.js': "module.exports = () => 'with ' + require('small');",
  'node_modules/fastify/LICENSE': 'Copyright of fastify',
  'node_modules/fastify/NOTICE.txt': 'Notice of fastify',
  'node_modules/small/package.json': '{ "name": "small", "version": "0.1.0", "license": "ISC" }',
  'node_modules/small/index.js': "module.exports = 'small';",
  'node_modules/small/readme.md': '# small\n\nIs small.\n\n## License\n\nISC, by its author\n\n## Thanks\n',
  'node_modules/pg/package.json': '{ "name": "pg", "version": "8.0.0", "license": "MIT", "type": "module" }',
  'node_modules/pg/index.js': "export default 'external';",
};

async function bundle(files: Record<string, string>): Promise<string> {
  const root = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
    if (!name.startsWith('dist/')) continue;
    const map = { version: 3, sources: [name.replace(/js$/, 'ts')], names: [], mappings: 'AAAA' };
    await writeFile(path.join(root, `${name}.map`), JSON.stringify(map));
  }
  const url = pathToFileURL(projectPath('jobs/bootstrap/bundle-program.mjs')).href;
  const { bundleProgram } = (await import(url)) as { bundleProgram(root: string): Promise<void> };
  await bundleProgram(root);
  return path.join(root, 'dist', 'program');
}

describe('the bundled program', () => {
  it('contains listed packages with what they need, and imports the others', async () => {
    const program = await bundle(compiled);
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(program, 'jobs/commands/cli.js')]);
    expect(stdout).toBe('with small external –\n');
    const code = await readFile(path.join(program, 'jobs/commands/cli.js'), 'utf8');
    expect(code).toContain('from "pg"');
    expect(code).not.toMatch(/from "(fastify|small)"/);
  });

  it('has no character that makes Node store a file with two bytes for each', async () => {
    const code = await readFile(path.join(await bundle(compiled), 'jobs/commands/cli.js'), 'utf8');
    expect(code).toContain('"\\u2013"');
    expect(code).not.toMatch(/[\u0100-\uffff]/);
  });

  it('is accompanied by the licences and notices of the packages in it, and of no others', async () => {
    const licences = await readFile(path.join(await bundle(compiled), 'licences.txt'), 'utf8');
    expect(licences.split(`\n${'-'.repeat(80)}\n\n`)).toEqual([
      'fastify 1.2.3 (MIT)\n\nCopyright of fastify\n\nNotice of fastify\n',
      'small 0.1.0 (ISC)\n\n## License\n\nISC, by its author\n',
    ]);
  });

  it('has a hash that differs only with its code', async () => {
    const hash = async (files: Record<string, string>) => readFile(path.join(await bundle(files), 'code-hash'), 'utf8');
    const first = await hash(compiled);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await hash(compiled)).toBe(first);
    const changed = { ...compiled, 'node_modules/small/index.js': "module.exports = 'smaller';" };
    expect(await hash(changed)).not.toBe(first);
  });

  it('fails if a package in it states its licence nowhere', async () => {
    const { 'node_modules/small/readme.md': _terms, ...unlicensed } = compiled;
    await expect(bundle(unlicensed)).rejects.toThrow('small states its licence in no file');
  });
});
