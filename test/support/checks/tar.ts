export interface TarEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const BLOCK_BYTES = 512;

/**
 * The files of a tar archive, in its order; folders and links are left out. Names up to 100 bytes and with a ustar
 * prefix are read, the extensions for longer ones are not.
 * @throws Error for an archive that breaks off
 */
export function readTarEntries(archive: Uint8Array): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; at + BLOCK_BYTES <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK_BYTES);
    // An empty block is the end.
    if (header[0] === 0) return entries;
    const size = Number.parseInt(readText(header, 124, 12), 8);
    const end = at + BLOCK_BYTES + size;
    if (!(end <= archive.length)) throw new Error(`the archive breaks off in ${readText(header, 0, 100)}`);
    const type = readText(header, 156, 1);
    if (type === '0' || type === '') {
      entries.push({ name: readName(header), bytes: archive.subarray(at + BLOCK_BYTES, end) });
    }
    at += BLOCK_BYTES + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return entries;
}

function readName(header: Uint8Array): string {
  const prefix = readText(header, 257, 5) === 'ustar' ? readText(header, 345, 155) : '';
  const name = readText(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function readText(header: Uint8Array, from: number, length: number): string {
  const text = Buffer.from(header.subarray(from, from + length)).toString('latin1');
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}
