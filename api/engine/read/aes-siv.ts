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
  const mac = openCmac(key.subarray(0, BLOCK_BYTES));
  const blocks = keepCipher('aes-128-ecb', key.subarray(BLOCK_BYTES), null);
  const base = xor(double(mac(Buffer.alloc(BLOCK_BYTES))), mac(purpose));
  const shortBase = double(base);
  /** S2V of RFC 5297. */
  const tag = (content: Uint8Array) => {
    if (content.length < BLOCK_BYTES) return mac(xor(shortBase, pad(content, BLOCK_BYTES)));
    const mixed = Buffer.from(content);
    const end = mixed.subarray(mixed.length - BLOCK_BYTES);
    for (let i = 0; i < BLOCK_BYTES; i++) end[i]! ^= base[i]!;
    return mac(mixed);
  };
  /** Encrypts and decrypts: counter mode, in which the two are the same. */
  const mask = (content: Uint8Array, from: Uint8Array) => {
    const stream = blocks.update(listCounters(from, Math.ceil(content.length / BLOCK_BYTES)));
    return xor(content, stream);
  };
  return {
    seal(content) {
      const made = tag(content);
      return Buffer.concat([made, mask(content, made)]);
    },
    open(sealed) {
      if (sealed.length < BLOCK_BYTES) return null;
      const given = sealed.subarray(0, BLOCK_BYTES);
      const content = mask(sealed.subarray(BLOCK_BYTES), given);
      return timingSafeEqual(tag(content), given) ? content : null;
    },
  };
}

/** @returns the CMAC of a message */
function openCmac(key: Uint8Array): (message: Uint8Array) => Buffer {
  const chain = keepCipher('aes-128-cbc', key, Buffer.alloc(BLOCK_BYTES));
  // The cipher goes on from message to message: what it chains into the first block is taken out beforehand.
  let last: Uint8Array = Buffer.alloc(BLOCK_BYTES);
  const chainBlocks = (message: Buffer) => {
    for (let i = 0; i < BLOCK_BYTES; i++) message[i]! ^= last[i]!;
    const out = chain.update(message);
    last = out.subarray(out.length - BLOCK_BYTES);
    return Buffer.from(last);
  };
  const wholeKey = double(chainBlocks(Buffer.alloc(BLOCK_BYTES)));
  const paddedKey = double(wholeKey);
  return (message) => {
    const isWhole = message.length > 0 && message.length % BLOCK_BYTES === 0;
    const padded = isWhole
      ? Buffer.from(message)
      : pad(message, BLOCK_BYTES * (Math.floor(message.length / BLOCK_BYTES) + 1));
    const lastKey = isWhole ? wholeKey : paddedKey;
    const end = padded.length - BLOCK_BYTES;
    for (let i = 0; i < BLOCK_BYTES; i++) padded[end + i]! ^= lastKey[i]!;
    return chainBlocks(padded);
  };
}

function keepCipher(mode: string, key: Uint8Array, iv: Uint8Array | null): Cipher {
  return createCipheriv(mode, key, iv).setAutoPadding(false);
}

/** Counters from a tag on, without the two bits that RFC 5297 clears, so that adding carries into the last word only. */
function listCounters(from: Uint8Array, count: number): Buffer {
  const counters = Buffer.allocUnsafe(count * BLOCK_BYTES);
  for (let block = 0; block < count; block++) {
    counters.set(from, block * BLOCK_BYTES);
    counters[block * BLOCK_BYTES + 8]! &= 0x7f;
    counters[block * BLOCK_BYTES + 12]! &= 0x7f;
    const word = block * BLOCK_BYTES + 12;
    counters.writeUInt32BE(counters.readUInt32BE(word) + block, word);
  }
  return counters;
}

/** Multiplies by x in the field of 128 bits. */
function double(block: Uint8Array): Buffer {
  const doubled = Buffer.alloc(BLOCK_BYTES);
  for (let i = 0; i < BLOCK_BYTES; i++) doubled[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >> 7);
  if ((block[0]! & 0x80) !== 0) doubled[BLOCK_BYTES - 1]! ^= 0x87;
  return doubled;
}

/** A one bit and zeros after it. */
function pad(content: Uint8Array, length: number): Buffer {
  const padded = Buffer.alloc(length);
  padded.set(content);
  padded[content.length] = 0x80;
  return padded;
}

/** @param other at least as long */
function xor(content: Uint8Array, other: Uint8Array): Buffer {
  const mixed = Buffer.allocUnsafe(content.length);
  for (let i = 0; i < content.length; i++) mixed[i] = content[i]! ^ other[i]!;
  return mixed;
}
