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

describe('documentation', () => {
  it('links to existing files and headings', async () => {
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

  it('links only to files that the npm package contains', async () => {
    const { files } = JSON.parse(await readFile(path.join(projectRoot, 'package.json'), 'utf8'));
    // npm always packs the first three. No page links to files matched by patterns.
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

  it('names existing files', () => {
    const gone = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/`((?:pipeline|api|jobs|test|data|docs)\/[\w./-]+\.(?:ts|mjs|sql|md|csv|yaml))`/g)]
        .map(([, file]) => file!)
        .filter((file) => !existsSync(path.join(projectRoot, file)) && !isMadeAtWork(file))
        .map((file) => `${name}: ${file}`),
    );
    expect(gone).toEqual([]);
  });

  it('begins with a README of two screens', () => {
    const readme = pages.find(({ name }) => name === 'README.md')!;
    expect(readme.text.split(/\s+/).length).toBeLessThanOrEqual(900);
  });

  it('lists every command', async () => {
    const { text } = pages.find(({ name }) => name === 'docs/command-line.md')!;
    const listed = [...text.matchAll(/^\| `([\w-]+)/gm)].map(([, name]) => name);
    const { stdout } = await runCommand(['--help'], { dataDir: projectRoot });
    const commands = [...stdout.matchAll(/^ {2}([\w-]+)(?: [[<].*| +.*)$/gm)].map(([, name]) => name!);
    const isListed = (name: string) => name === 'help' || listed.includes(name);
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter((name) => !isListed(name))).toEqual([]);
  });

  it('lists every decision once, by area and then by number', () => {
    const index = findPage('docs/decisions/README.md');
    const areas = index.split(/^## /m).slice(1);
    const listed = areas.map((area) => [...area.matchAll(/\]\((\d{3}-[^)]+)\)/g)].map(([, name]) => name!));
    for (const names of listed) expect(names).toEqual(names.toSorted());
    expect(listed.flat().toSorted()).toEqual(listDecisions().map(({ name }) => path.basename(name)));
    const numbers = listed.flat().map((name) => name.slice(0, 3));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('gives every decision a date, a status and the same sections', () => {
    const wrong = listDecisions().filter(
      ({ text }) =>
        !/^# \d{3} .+\n\n\*\*Date\*\*: \d{4}-\d{2}-\d{2}\. \*\*Status\*\*: .+\.$/m.test(text) ||
        [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading).join() !== DECISION_SECTIONS,
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('cites only decisions that exist', () => {
    const numbers = new Set(listDecisions().map(({ name }) => path.basename(name).slice(0, 3)));
    const unknown = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/\[(\d{3})\]|\bdecisions? (\d{3})\b/g)]
        .map(([, linked, named]) => linked ?? named!)
        .filter((number) => !numbers.has(number))
        .map((number) => `${name}: ${number}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has a line for every dependency', async () => {
    const project = JSON.parse(await readFile(path.join(projectRoot, 'package.json'), 'utf8'));
    const names = [project.dependencies, project.optionalDependencies, project.devDependencies].flatMap((packages) =>
      Object.keys(packages ?? {}),
    );
    const text = findPage('docs/dependencies.md');
    expect(names.filter((name) => !name.startsWith('@types/') && !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('leads from the places to start reading to existing files and folders', () => {
    const text = findPage('ARCHITECTURE.md');
    const places = [...text.matchAll(/`((?:pipeline|api|jobs|data|test)\/[^`]+)`/g)].map(([, place]) => place!);
    expect(places.length).toBeGreaterThan(60);
    expect(places.filter((place) => !existsSync(path.join(projectRoot, place)))).toEqual([]);
    expect(text.split('\n').length).toBeLessThanOrEqual(201);
  });

  it('explains terms in alphabetical order', () => {
    const terms = [...findPage('docs/glossary.md').matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, term]) => term!);
    expect(terms.length).toBeGreaterThan(80);
    expect(terms).toEqual(terms.toSorted((a, b) => a.localeCompare(b, 'en')));
  });
});

const DECISION_SECTIONS = 'Context,Decision,Alternatives considered,Consequences';

const findPage = (wanted: string) => pages.find(({ name }) => name === wanted)!.text;

const listDecisions = () =>
  pages.filter(({ name }) => /^docs\/decisions\/\d{3}-/.test(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Files of the data folder, which a service writes. */
const isMadeAtWork = (file: string) => /^data\/(lake|marts|snapshots)\//.test(file);
