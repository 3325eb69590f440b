import { type Cipher, createCipheriv, timingSafeEqual } from 'node:crypto';

/** Authenticated encryption without a nonce: equal contents give equal bytes. */
export interface AesSiv {
  /** @returns the tag, then the encrypted content */
  seal(content: Uint8Array): Buffer;
  /** @returns `null` for bytes that were not sealed with this key and purpose */
  open(sealed: Uint8Array): Buffer | null;
}

const BLOCK_BYTES = 16;

/**
 * AES-SIV with AES-128 and one associated text, out of Node's AES in CBC and ECB mode, since Node has no SIV mode. The
 * keys are expanded once and the associated text is authenticated once, so a short content costs two blocks of AES.
 * @param key 32 bytes
 * @param purpose authenticated with every content
 * @see RFC 5297, and RFC 4493 for CMAC
 */
export function openAesSiv(key: Uint8Array, purpose: Uint8Array): AesSiv {
  const finish = openCmac(key.subarray(0, BLOCK_BYTES));
  const mac = (message: Uint8Array) => finish(padBlocks(message), isWhole(message));
  const counted = keepCipher('aes-128-ecb', key.subarray(BLOCK_BYTES), null);
  const base = double(mac(Buffer.alloc(BLOCK_BYTES)));
  xorInto(base, 0, mac(purpose), BLOCK_BYTES);
  const shortBase = double(base);
  /** S2V of RFC 5297. */
  const tag = (content: Uint8Array) => {
    const blocks = padBlocks(content);
    const isShort = content.length < BLOCK_BYTES;
    xorInto(blocks, isShort ? 0 : content.length - BLOCK_BYTES, isShort ? shortBase : base, BLOCK_BYTES);
    return finish(blocks, isShort || isWhole(content));
  };
  /** Encrypts and decrypts in place: counter mode, in which the two are the same. */
  const mask = (bytes: Buffer, at: number, from: Uint8Array) => {
    const length = bytes.length - at;
    if (length > 0) xorInto(bytes, at, counted.update(listCounters(from, Math.ceil(length / BLOCK_BYTES))), length);
  };
  return {
    seal(content) {
      const sealed = Buffer.allocUnsafe(BLOCK_BYTES + content.length);
      const made = tag(content);
      sealed.set(made);
      sealed.set(content, BLOCK_BYTES);
      mask(sealed, BLOCK_BYTES, made);
      return sealed;
    },
    open(sealed) {
      if (sealed.length < BLOCK_BYTES) return null;
      const given = sealed.subarray(0, BLOCK_BYTES);
      const content = Buffer.from(sealed.subarray(BLOCK_BYTES));
      mask(content, 0, given);
      return timingSafeEqual(tag(content), given) ? content : null;
    },
  };
}

/** @returns the CMAC of the blocks of a message, which it overwrites */
function openCmac(key: Uint8Array): (blocks: Buffer, isWhole: boolean) => Buffer {
  const chain = keepCipher('aes-128-cbc', key, Buffer.alloc(BLOCK_BYTES));
  // The cipher goes on from message to message: what it chains into the first block is taken out beforehand.
  let last: Buffer = Buffer.alloc(BLOCK_BYTES);
  const chainBlocks = (blocks: Buffer) => {
    xorInto(blocks, 0, last, BLOCK_BYTES);
    last = chain.update(blocks).subarray(-BLOCK_BYTES);
    return last;
  };
  const wholeKey = double(chainBlocks(Buffer.alloc(BLOCK_BYTES)));
  const paddedKey = double(wholeKey);
  return (blocks, isWhole) => {
    xorInto(blocks, blocks.length - BLOCK_BYTES, isWhole ? wholeKey : paddedKey, BLOCK_BYTES);
    return chainBlocks(blocks);
  };
}

function keepCipher(mode: string, key: Uint8Array, iv: Uint8Array | null): Cipher {
  return createCipheriv(mode, key, iv).setAutoPadding(false);
}

/** Counters from a tag on, without the two bits that RFC 5297 clears, so that adding carries into the last word only. */
function listCounters(from: Uint8Array, count: number): Buffer {
  const first = Buffer.from(from);
  first[8]! &= 0x7f;
  first[12]! &= 0x7f;
  const counters = Buffer.allocUnsafe(count * BLOCK_BYTES).fill(first);
  const start = first.readUInt32BE(12);
  for (let block = 1; block < count; block++) counters.writeUInt32BE(start + block, block * BLOCK_BYTES + 12);
  return counters;
}

/** Multiplies by x in the field of 128 bits. */
function double(block: Uint8Array): Buffer {
  const doubled = Buffer.alloc(BLOCK_BYTES);
  for (let i = 0; i < BLOCK_BYTES; i++) doubled[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >> 7);
  if ((block[0]! & 0x80) !== 0) doubled[BLOCK_BYTES - 1]! ^= 0x87;
  return doubled;
}

function isWhole({ length }: Uint8Array): boolean {
  return length > 0 && length % BLOCK_BYTES === 0;
}

/** A copy in whole blocks: where the content does not fill the last one, a one bit and zeros follow. */
function padBlocks(content: Uint8Array): Buffer {
  if (isWhole(content)) return Buffer.from(content);
  const padded = Buffer.allocUnsafe(BLOCK_BYTES * (Math.floor(content.length / BLOCK_BYTES) + 1));
  padded.set(content);
  padded.fill(0, content.length);
  padded[content.length] = 0x80;
  return padded;
}

function xorInto(bytes: Buffer, at: number, other: Uint8Array, length: number): void {
  for (let i = 0; i < length; i++) bytes[at + i]! ^= other[i]!;
}
