import { aessiv } from '@noble/ciphers/aes.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openAesSiv } from '../../../api/engine/read/aes-siv.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test('seals the example of RFC 5297, A.1', () => {
  const key = hex('fffefdfc fbfaf9f8 f7f6f5f4 f3f2f1f0 f0f1f2f3 f4f5f6f7 f8f9fafb fcfdfeff');
  const purpose = hex('10111213 14151617 18191a1b 1c1d1e1f 20212223 24252627');
  const content = hex('11223344 55667788 99aabbcc ddee');
  const sealed = hex('85632d07 c6e8f37f 950acd32 0a2ecc93 40c02b96 90c4dc04 daef7f6a fe5c');
  const siv = openAesSiv(key, purpose);
  expect(siv.seal(content)).toEqual(sealed);
  expect(siv.open(sealed)).toEqual(content);
});

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

test('seals and opens like an independent implementation, whatever was sealed before', () => {
  const contents = fc.array(fc.uint8Array({ maxLength: 100 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(bytes(32), fc.uint8Array({ maxLength: 40 }), contents, (key, purpose, all) => {
      const siv = openAesSiv(key, purpose);
      for (const content of all) {
        const sealed = Buffer.from(aessiv(key, purpose).encrypt(content));
        expect(siv.seal(content)).toEqual(sealed);
        expect(siv.open(sealed)).toEqual(Buffer.from(content));
      }
    }),
  );
});

test('refuses sealed bytes with any bit changed, and short ones', () => {
  const siv = openAesSiv(Buffer.alloc(32, 3), Buffer.from('purpose'));
  const sealed = siv.seal(Buffer.from('a content of more than one block'));
  for (let bit = 0; bit < 8 * sealed.length; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    expect(siv.open(changed)).toBeNull();
  }
  for (let length = 0; length < sealed.length; length++) expect(siv.open(sealed.subarray(0, length))).toBeNull();
});
