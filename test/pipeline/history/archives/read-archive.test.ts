import { expect, it } from 'vitest';
import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import { asReadable } from '../../../../pipeline/history/archives/read-archive.ts';

const ofReadOnlyEngine = (message: string) => new ExternalError('sql_failed', message, { cause: new Error(message) });

it.each<[what: string, thrown: Error, code: string, isRetryable: boolean]>([
  ['a damaged file', new Error('Invalid Input Error: No magic bytes found'), 'archive_unreadable', false],
  ['a damaged file, met by a mapping', ofReadOnlyEngine('Invalid Input Error: Corrupt'), 'archive_unreadable', false],
  ['a file without permission', ofReadOnlyEngine('IO Error: Permission denied'), 'archive_unreadable', false],
  ['a lack of memory', new ExternalError('out_of_memory', 'too low'), 'out_of_memory', false],
  ['a lack of memory, met by a mapping', ofReadOnlyEngine('Out of Memory Error: no block'), 'out_of_memory', false],
  ['a full disk', ofReadOnlyEngine('IO Error: No space left on device'), 'disk_failed', true],
])('names %s by its code', async (_what, thrown, code, isRetryable) => {
  const failed = asReadable('/archives/days.parquet', {}, () => Promise.reject(thrown));
  await expect(failed).rejects.toMatchObject({ code, isRetryable });
});

it('passes a stop on unchanged', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  const failed = asReadable('/archives/days.parquet', { signal }, () => Promise.reject(new Error('Interrupted!')));
  await expect(failed).rejects.toThrow(/^stopped$/);
});
