import type protobuf from 'protobufjs/light.js';

/** Wire types: the lowest three bits of a tag, below the number of the field. */
export const VARINT = 0;
/** Texts, bytes and messages, led by their length. */
export const BYTES = 2;

const asPlainObject: protobuf.IConversionOptions = { longs: Number, enums: String, arrays: true };

/**
 * Reads a message by its schema.
 * @throws Error of protobufjs, when the bytes are none of this type or lack a required field
 */
export function readPlain<Message>(type: protobuf.Type, bytes: Uint8Array): Message {
  return type.toObject(type.decode(bytes), asPlainObject) as Message;
}

/** Skips the field that a tag announces. */
export function skipField(reader: protobuf.Reader, tag: number): void {
  reader.skipType(tag & 7, 0, tag >>> 3);
}

/**
 * Where the message that the reader stands before ends.
 * @throws RangeError when it runs beyond the one that holds it
 */
export function readEnd(reader: protobuf.Reader, outerEnd: number): number {
  const length = reader.uint32();
  if (reader.pos + length > outerEnd) throw new RangeError('a message runs beyond the one that holds it');
  return reader.pos + length;
}

/** @throws RangeError when the last field ran beyond its message */
export function checkEnd(reader: protobuf.Reader, end: number): void {
  if (reader.pos !== end) throw new RangeError('a field runs beyond its message');
}

/** By hand, for protobufjs makes an object of each 64-bit number. Beyond 2^53 the last digits are lost. */
export function readLong(reader: protobuf.Reader): number {
  let value = 0;
  for (let factor = 1; reader.pos < reader.len; factor *= 128) {
    const byte = reader.buf[reader.pos++]!;
    value += (byte & 127) * factor;
    // Negative numbers come as if 2^64 had been added.
    if (byte < 128) return value < 2 ** 63 ? value : value - 2 ** 64;
  }
  throw new RangeError('a number is cut off');
}
