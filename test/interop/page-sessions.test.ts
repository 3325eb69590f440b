import { describe, expect, it } from 'vitest';
import { readSession } from './page-sessions.ts';

describe('the code of docs/lake.md', () => {
  it('replaces addresses, even by texts with special characters', async () => {
    const session = await readSession(['load_catalog'], { 'https://s3.example': '$&', ACCESS_KEY: '$1' });
    expect(session).toContain('"s3.endpoint": "$&"');
    expect(session).toContain('"s3.access-key-id": "$1"');
  });

  it('is named in the error if it is missing', async () => {
    await expect(readSession(['load_catalog'], { 's3://other': '' })).rejects.toThrow(
      'docs/lake.md has no code with load_catalog, s3://other',
    );
  });
});
