import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';

/** Prints figures and keeps them in `test-output/`: they are to be read, and depend on the machine. */
export async function keepFigures(name: string, lines: readonly string[]): Promise<void> {
  const folder = projectPath('test-output');
  await mkdir(folder, { recursive: true });
  const text = `${lines.join('\n')}\n`;
  await writeFile(path.join(folder, `${name}.txt`), text);
  process.stdout.write(`\n${name}\n${text}`);
}
