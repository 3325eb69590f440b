import { type FileHandle, open, readFile } from 'node:fs/promises';
import path from 'node:path';

const BLOCK_BYTES = 512;
/** Where the name ends, in the oldest and simplest form of a header. */
const MAX_NAME_BYTES = 100;

/**
 * Packs files into a new tar archive that holds nothing but names and bytes, and makes it outlive a power cut.
 * @param names below the folder, with forward slashes, in the archive's order
 * @returns bytes of the archive
 * @throws the system error of the step that failed
 */
export async function writeTar(file: string, folder: string, names: readonly string[]): Promise<number> {
  const handle = await open(file, 'wx');
  try {
    for (const name of names) await writeEntry(handle, name, await readFile(path.join(folder, name)));
    // Two empty blocks are the end.
    await handle.writeFile(Buffer.alloc(2 * BLOCK_BYTES));
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function writeEntry(handle: FileHandle, name: string, content: Buffer): Promise<void> {
  await handle.writeFile(writeHeader(name, content.length));
  await handle.writeFile(content);
  await handle.writeFile(Buffer.alloc(-content.length & (BLOCK_BYTES - 1)));
}

/** @see POSIX.1-1988 "ustar": texts and octal numbers at fixed places */
function writeHeader(name: string, bytes: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new RangeError(`${name} is too long a name for an archive`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
