import { expect, it } from 'vitest';
import { parseTree, type TreeEntry, writeTree } from '../../../../pipeline/scale-out/object-store/tree-document.ts';

const ENTRY: TreeEntry = { sha256: 'a'.repeat(64), bytes: 1, modified: 0 };
const written = (name: string, files: Record<string, TreeEntry>) => writeTree(name, new Map(Object.entries(files)), 0);

it('a tree round-trips', () => {
  const files = { 'marts/manifest.json': ENTRY, 'marts/a/part-0.parquet': ENTRY };
  expect(parseTree(written('marts', files), 'marts')).toEqual(new Map(Object.entries(files)));
  expect(parseTree(written('marts', {}), 'marts')).toEqual(new Map());
});

const damaged: readonly [string, string][] = [
  ['a part of one', '{"treeFormat":1,"name":"marts","files":{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['one without files', '{"treeFormat":1,"name":"marts"}'],
  ['one whose files are a number', '{"treeFormat":1,"name":"marts","files":5}'],
  ['one whose entry is null', '{"treeFormat":1,"name":"marts","files":{"marts/manifest.json":null}}'],
  ['an entry without its fields', '{"treeFormat":1,"name":"marts","files":{"marts/manifest.json":{}}}'],
  ['a path of another tree', written('marts', { 'announcements.yaml': ENTRY }).toString()],
  ['an empty tree of another name', written('lake', {}).toString()],
];

it.each(damaged)('reports %s as damaged, neither as a bug nor as an empty tree', (_what, text) => {
  const error = expect.objectContaining({ code: 'tree_damaged' });
  expect(() => parseTree(Buffer.from(text), 'marts')).toThrow(error);
});

it('names a tree of a newer program', () => {
  const text = '{"treeFormat":2,"name":"marts","everything":{}}';
  expect(() => parseTree(Buffer.from(text), 'marts')).toThrow(expect.objectContaining({ code: 'tree_too_new' }));
});
