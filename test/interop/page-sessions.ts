import { readFile } from 'node:fs/promises';
import { projectPath } from '../../pipeline/effects/project-files.ts';

/**
 * The code of docs/lake.md as its readers copy it, with the addresses of a check in place of those of the page.
 * @param marks by which the code is known among others
 * @param addresses by their texts on the page
 * @throws Error where the page has no such code, or not these addresses
 */
export async function readSession(
  marks: readonly string[],
  addresses: Readonly<Record<string, string>>,
): Promise<string> {
  const page = await readFile(projectPath('docs/lake.md'), 'utf8');
  const blocks = [...page.matchAll(/```\w+\n(.*?)```/gs)].map(([, block]) => block!);
  const wanted = [...marks, ...Object.keys(addresses)];
  const session = blocks.find((block) => wanted.every((text) => block.includes(text)));
  if (session === undefined) throw new Error(`docs/lake.md has no code with ${wanted.join(', ')}`);
  return Object.entries(addresses).reduce((code, [text, address]) => code.replaceAll(text, () => address), session);
}
