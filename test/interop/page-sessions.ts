import { readFile } from 'node:fs/promises';
import { projectPath } from '../../pipeline/effects/project-files.ts';

const LAKE_PAGE = 'docs/lake.md';

/**
 * The code of a page as its readers copy it, with the addresses of a check in place of those of the page.
 * @param marks by which the code is known among others
 * @param addresses by their texts on the page
 * @throws Error where the page has no such code, or not these addresses
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
