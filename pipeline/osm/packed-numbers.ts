/** Numbers that protobuf packs into one field, read one after the other without an object for each. */
export class PackedNumbers {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Reads a `uint32` or an enumerated value; beyond 2^53 the last digits of a larger number are lost. */
  readUnsigned(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++];
    if (byte === undefined) throw new RangeError('a list of numbers ends early');
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let factor = 0x80;
    do {
      byte = bytes[this.#at++];
      if (byte === undefined) throw new RangeError('a list of numbers ends early');
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
    } while (byte >= 0x80);
    return value;
  }

  /** Reads a `sint64`. */
  readSigned(): number {
    const value = this.readUnsigned();
    if (value < 0x80000000) return (value >>> 1) ^ -(value & 1);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
