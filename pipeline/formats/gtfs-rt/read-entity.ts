import protobuf from 'protobufjs/light.js';
import type { Alert, FeedEntity, VehiclePosition } from './feed-message.ts';
import { alertType, vehiclePositionType } from './feed-schema.ts';
import { readTripUpdate } from './read-trip-update.ts';
import { BYTES, checkEnd, readEnd, readPlain, skipField, VARINT } from './wire.ts';

type GrowingEntity = { -readonly [Key in keyof FeedEntity]?: FeedEntity[Key] };

/**
 * Reads an entity, extensions and unknown fields left out.
 * @throws Error for bytes that are no entity, and for one that lacks a required field
 */
export function readEntity(bytes: Uint8Array): FeedEntity {
  const reader = protobuf.Reader.create(bytes);
  const entity: GrowingEntity = {};
  while (reader.pos < bytes.length) readEntityField(entity, reader.uint32(), reader);
  checkEnd(reader, bytes.length);
  if (entity.id === undefined) throw new Error("missing required 'id'");
  return { ...entity, id: entity.id };
}

function readEntityField(entity: GrowingEntity, tag: number, reader: protobuf.Reader): void {
  switch (tag) {
    case (1 << 3) | BYTES:
      entity.id = reader.string();
      break;
    case (2 << 3) | VARINT:
      entity.isDeleted = reader.bool();
      break;
    case (3 << 3) | BYTES:
      entity.tripUpdate = readTripUpdate(reader, readEnd(reader, reader.len));
      break;
    case (4 << 3) | BYTES:
      entity.vehicle = readPlain<VehiclePosition>(vehiclePositionType, reader.bytes());
      break;
    case (5 << 3) | BYTES:
      entity.alert = readPlain<Alert>(alertType, reader.bytes());
      break;
    case (6 << 3) | BYTES:
      entity.shape = reader.bytes();
      break;
    case (7 << 3) | BYTES:
      entity.stop = reader.bytes();
      break;
    case (8 << 3) | BYTES:
      entity.tripModifications = reader.bytes();
      break;
    default:
      skipField(reader, tag);
  }
}
