import { describe, expect, it } from 'vitest';
import { readSession } from './page-sessions.ts';

describe('the code of docs/lake.md', () => {
  it('is read with other addresses, whatever these hold', async () => {
    const session = await readSession(['load_catalog'], { 'https://s3.example': '$&', ACCESS_KEY: '$1' });
    expect(session).toContain('"s3.endpoint": "$&"');
    expect(session).toContain('"s3.access-key-id": "$1"');
  });

  it('is missing by name', async () => {
    await expect(readSession(['load_catalog'], { 's3://other': '' })).rejects.toThrow(
      'docs/lake.md has no code with load_catalog, s3://other',
    );
  });
});
