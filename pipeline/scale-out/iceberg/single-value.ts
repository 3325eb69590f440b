import type { IcebergPrimitive, IcebergValue } from './iceberg-types.ts';

/**
 * The binary form of one value, as bounds hold it.
 * @see Iceberg table spec, appendix D: single-value serialization
 */
export function serializeValue(type: IcebergPrimitive, value: IcebergValue): Buffer {
  switch (type) {
    case 'boolean':
      return Buffer.from([value ? 1 : 0]);
    case 'int':
    case 'date':
      return fill(4, (bytes) => bytes.writeInt32LE(Number(value)));
    case 'long':
    case 'timestamp':
    case 'timestamptz':
      return fill(8, (bytes) => bytes.writeBigInt64LE(BigInt(value)));
    case 'float':
      return fill(4, (bytes) => bytes.writeFloatLE(Number(value)));
    case 'double':
      return fill(8, (bytes) => bytes.writeDoubleLE(Number(value)));
    case 'string':
      return Buffer.from(String(value), 'utf8');
  }
}

function fill(length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length);
  write(bytes);
  return bytes;
}
