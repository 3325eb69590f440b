import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { isSystemError } from '../../../pipeline/effects/external-error.ts';

/** Compares a value with a reviewed file. A missing file is written for review, and is a failure on a build machine. */
export async function expectGolden(file: string, value: unknown): Promise<void> {
  const golden = await findGolden(file);
  if (golden !== null) {
    expect(value).toEqual(JSON.parse(golden));
    return;
  }
  if (process.env.CI) throw new Error(`${file} is missing: run the test once by hand, look at the file, and keep it`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

async function findGolden(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
