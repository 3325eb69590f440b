import { createRecentMap } from '../../../pipeline/model/recent-map.ts';
import { type AesSiv, openAesSiv } from './aes-siv.ts';

/** One trip on one service date, by the values that stay the same when a timetable is loaded again. */
export interface JourneyName {
  /** `trips.key` of the snapshot. */
  readonly tripKey: bigint;
  /** Days since 1970. */
  readonly day: number;
}

/**
 * Makes and reads the opaque texts that clients send back: journey references and page tokens. AES-SIV encrypts and
 * authenticates without a nonce, so the same journey always has the same reference, and an altered one is refused.
 * @see RFC 5297
 */
export interface References {
  sealJourney(name: JourneyName): string;
  /** @returns null unless it was made with this key */
  openJourney(text: string): JourneyName | null;
  sealPage(content: string): string;
  /** @returns null unless it was made with this key */
  openPage(text: string): string | null;
}

export const REFERENCE_KEY_BYTES = 32;

const FORMAT = 1;
const JOURNEY_BYTES = 13;
const REMEMBERED = 50_000;

/** @param key 32 random bytes; replicas with the same key share their references */
export function createReferences(key: Uint8Array): References {
  if (key.length !== REFERENCE_KEY_BYTES) throw new RangeError(`a reference key has ${REFERENCE_KEY_BYTES} bytes`);
  // The purpose of a text is authenticated with it: a page token is never accepted as a journey.
  const journeys = openAesSiv(key, Buffer.from('journey'));
  const pages = openAesSiv(key, Buffer.from('page'));
  const sealJourney = remember(({ tripKey, day }: JourneyName) => {
    const content = Buffer.allocUnsafe(JOURNEY_BYTES);
    content.writeUInt8(FORMAT, 0);
    content.writeBigUInt64LE(tripKey, 1);
    content.writeInt32LE(day, 9);
    return journeys.seal(content).toString('base64url');
  });
  return {
    sealJourney,
    openJourney(text) {
      const content = open(journeys, text);
      if (content?.length !== JOURNEY_BYTES || content.readUInt8(0) !== FORMAT) return null;
      return { tripKey: content.readBigUInt64LE(1), day: content.readInt32LE(9) };
    },
    sealPage: (content) => pages.seal(Buffer.from(content)).toString('base64url'),
    openPage: (text) => open(pages, text)?.toString() ?? null,
  };
}

function open(siv: AesSiv, text: string): Buffer | null {
  const sealed = Buffer.from(text, 'base64url');
  // Buffer skips characters outside of base64url and ignores spare bits; only the canonical spelling is accepted.
  return sealed.toString('base64url') === text ? siv.open(sealed) : null;
}

/** Boards name the same journeys repeatedly, and sealing is what takes longest in their rows. */
function remember(seal: (name: JourneyName) => string): (name: JourneyName) => string {
  const known = createRecentMap<bigint, string>(REMEMBERED);
  return (name) => {
    const id = (name.tripKey << 32n) | BigInt.asUintN(32, BigInt(name.day));
    const remembered = known.get(id);
    if (remembered !== undefined) return remembered;
    const text = seal(name);
    known.set(id, text);
    return text;
  };
}
