import { readFile } from 'node:fs/promises';
import { projectPath } from '../../pipeline/effects/project-files.ts';

const LAKE_PAGE = 'docs/lake.md';

/**
 * Reads code from a page, and replaces the addresses on the page by those of a check.
 * @param marks texts that identify the code block
 * @param addresses by their text on the page
 * @throws Error if the page has no such code, or the code does not contain these addresses
 */
export async function readSession(
  marks: readonly string[],
  addresses: Readonly<Record<string, string>>,
  page = LAKE_PAGE,
): Promise<string> {
  const text = await readFile(projectPath(page), 'utf8');
  const blocks = [...text.matchAll(/```\w+\n(.*?)```/gs)].map(([, block]) => block!);
  const wanted = [...marks, ...Object.keys(addresses)];
  const session = blocks.find((block) => wanted.every((mark) => block.includes(mark)));
  if (session === undefined) throw new Error(`${page} has no code with ${wanted.join(', ')}`);
  return Object.entries(addresses).reduce((code, [known, address]) => code.replaceAll(known, () => address), session);
}
