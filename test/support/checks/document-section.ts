import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { findSection } from '../../../pipeline/config/settings-document.ts';
import { projectRoot } from '../../../pipeline/effects/project-files.ts';

/** Compares a section of a document with the output of the code. `WRITE_DOCS=true` writes it for review. */
export async function expectSection(name: string, section: string, rendered: string): Promise<void> {
  const file = path.join(projectRoot, name);
  const document = await readFile(file, 'utf8');
  const found = findSection(document, section);
  if (process.env.WRITE_DOCS === 'true' && found !== null)
    await writeFile(
      file,
      document.replace(found, () => rendered),
    );
  else expect(found, 'WRITE_DOCS=true with this test writes it').toBe(rendered);
}
