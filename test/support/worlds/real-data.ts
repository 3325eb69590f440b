import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { projectPath } from '../../../pipeline/effects/project-files.ts';

/** The path of a published recording; tests that read one fail if it is absent. */
export function realData(name: string): string {
  return `${process.env.TAKTGEBER_REAL_DATA ?? projectPath('../shared/data')}/${name}`;
}

/** The texts of a zip's files by name. */
export async function readZipTexts(zipFile: string, names: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const zip = await yauzl.openPromise(zipFile, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!names.includes(entry.fileName)) continue;
      texts.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString('utf8'));
    }
  } finally {
    zip.close();
  }
  return texts;
}
