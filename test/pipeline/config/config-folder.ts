import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { type ConfigRequest, loadConfig } from '../../../pipeline/config/load-config.ts';
import { UsageError } from '../../../pipeline/effects/usage-error.ts';

/** Loads the configuration of a folder, which is the home as well. @param content of its file; absent: none */
export async function loadIn(home: string, request: Partial<ConfigRequest> = {}, content?: string) {
  if (content !== undefined) await writeFile(path.join(home, 'taktgeber.yaml'), content);
  return loadConfig({ environment: {}, cwd: home, home, ...request });
}

/** The message of the error, with `~` for the folder. */
export async function refusalIn(home: string, request: Partial<ConfigRequest>, content?: string): Promise<string> {
  const error = await loadIn(home, request, content).then(
    () => expect.fail('was accepted'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message.replaceAll(home, '~');
}
