import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';
import { writeFileAtomically, zipEntryOptions } from '../../effects/files.ts';

/**
 * Packs a feed into a zip file; equal feeds give equal bytes.
 * @throws the system error of the step that failed; an earlier file is kept then
 */
export async function writeSampleZip(feed: ReadonlyMap<string, string>, file: string): Promise<void> {
  await writeFileAtomically(file, await packSampleZip(feed));
}

/** The bytes of the zip. */
export async function packSampleZip(feed: ReadonlyMap<string, string>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, text] of feed) {
    zip.addBuffer(Buffer.from(text), name, zipEntryOptions);
  }
  zip.end();
  return buffer(zip.outputStream);
}
