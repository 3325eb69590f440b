import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';

/** Prints measurements and writes them to `test-output/` for reading; they depend on the machine. */
export async function saveMeasurements(name: string, lines: readonly string[]): Promise<void> {
  const folder = projectPath('test-output');
  await mkdir(folder, { recursive: true });
  const text = `${lines.join('\n')}\n`;
  await writeFile(path.join(folder, `${name}.txt`), text);
  process.stdout.write(`\n${name}\n${text}`);
}
