import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../pipeline/effects/project-files.ts';
import { runCommand } from './jobs/fake-world.ts';

interface Page {
  /** Path in the project. */
  readonly name: string;
  readonly text: string;
}

let pages: Page[];

beforeAll(async () => {
  const inDocs = await readdir(path.join(projectRoot, 'docs'), { recursive: true });
  const names = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...inDocs.map((name) => `docs/${name}`),
  ];
  const read = async (name: string) => ({ name, text: await readFile(path.join(projectRoot, name), 'utf8') });
  pages = await Promise.all(names.filter((name) => name.endsWith('.md')).map(read));
});

/** The anchor that Markdown pages give a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const listAnchors = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

describe('the papers', () => {
  it('link to what is there', async () => {
    const broken: string[] = [];
    for (const { name, text } of pages) {
      for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link!)) continue;
        const [target, anchor] = link!.split('#') as [string, string?];
        const file = path.join(projectRoot, target === '' ? name : path.join(path.dirname(name), target));
        if (!existsSync(file)) broken.push(`${name}: ${link}`);
        else if (anchor && !listAnchors(await readFile(file, 'utf8')).includes(anchor)) broken.push(`${name}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('link only to what the npm package holds as well', async () => {
    const { files } = JSON.parse(await readFile(path.join(projectRoot, 'package.json'), 'utf8'));
    // npm packs the first ones always. Patterns are of files that no page links to.
    const packed: string[] = ['README.md', 'LICENSE', 'package.json', ...files];
    const isPacked = (name: string) => packed.some((place) => name === place || name.startsWith(`${place}/`));
    const dead = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/\]\(([^)\s#]+)/g)]
        .map(([, link]) => link!)
        .filter((link) => !/^[a-z]+:/.test(link) && !isPacked(path.join(path.dirname(name), link)))
        .map((link) => `${name}: ${link}`),
    );
    expect(dead).toEqual([]);
    expect(pages.map(({ name }) => name).filter((name) => !isPacked(name))).toEqual([]);
  });

  it('name files that are there', () => {
    const gone = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/`((?:pipeline|api|jobs|test|data|docs)\/[\w./-]+\.(?:ts|mjs|sql|md|csv|yaml))`/g)]
        .map(([, file]) => file!)
        .filter((file) => !existsSync(path.join(projectRoot, file)) && !isMadeAtWork(file))
        .map((file) => `${name}: ${file}`),
    );
    expect(gone).toEqual([]);
  });

  it('begin with one that is read in two screens', () => {
    const readme = pages.find(({ name }) => name === 'README.md')!;
    expect(readme.text.split(/\s+/).length).toBeLessThanOrEqual(900);
  });

  it('list every command', async () => {
    const { text } = pages.find(({ name }) => name === 'docs/command-line.md')!;
    const listed = [...text.matchAll(/^\| `([\w-]+)/gm)].map(([, name]) => name);
    const { stdout } = await runCommand(['--help'], { dataDir: projectRoot });
    const commands = [...stdout.matchAll(/^ {2}([\w-]+)(?: [[<].*| +.*)$/gm)].map(([, name]) => name!);
    const isListed = (name: string) => name === 'help' || listed.includes(name);
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter((name) => !isListed(name))).toEqual([]);
  });

  it('list every decision, in order', () => {
    const list = pages.find(({ name }) => name === 'docs/decisions/README.md')!.text;
    const decisions = pages.map(({ name }) => /^docs\/decisions\/(\d{3}-.*)$/.exec(name)?.[1]).filter((name) => name);
    expect([...list.matchAll(/\]\((\d{3}-[^)]+)\)/g)].map(([, name]) => name)).toEqual(decisions.sort());
    expect(new Set(decisions.map((name) => name!.slice(0, 3))).size).toBe(decisions.length);
  });
});

/** Files of the data folder, which a service writes. */
const isMadeAtWork = (file: string) => /^data\/(lake|marts|snapshots)\//.test(file);
