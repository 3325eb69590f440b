import protobuf from 'protobufjs/light.js';
import type { RecordProblem } from '../../model/problem.ts';
import { UnreadableAnswer } from '../../model/problem.ts';
import {
  type Alert,
  type DecodedFeedMessage,
  type FeedEntity,
  type FeedHeader,
  type FeedStop,
  occupancyStatus,
  type Shape,
  type StopTimeEvent,
  type StopTimeProperties,
  type StopTimeUpdate,
  stopTimeRelationship,
  type TripDescriptor,
  type TripModifications,
  type TripProperties,
  type TripUpdate,
  type VehicleDescriptor,
  type VehiclePosition,
} from './feed-message.ts';
import {
  alertType,
  BYTES,
  checkEnd,
  ENTITY_FIELD,
  feedHeaderType,
  HEADER_FIELD,
  readEnd,
  readLong,
  readPlain,
  shapeType,
  skipField,
  stopTimePropertiesType,
  stopType,
  tripDescriptorType,
  tripModificationsType,
  tripPropertiesType,
  VARINT,
  vehicleDescriptorType,
  vehiclePositionType,
} from './feed-schema.ts';

type Growing<Message> = { -readonly [Key in keyof Message]?: Message[Key] };

/**
 * Reads a trip update at the reader's position. Hand-written, unlike the other messages: a national feed holds nearly a
 * million stop time events, and this takes half the time of decoding by schema. A test asserts that it agrees with the
 * schema.
 * @throws Error for bytes that are not a trip update, and for one without a trip
 */
function readTripUpdate(reader: protobuf.Reader, end: number): TripUpdate {
  const update: Growing<TripUpdate> & { stopTimeUpdate: StopTimeUpdate[] } = { stopTimeUpdate: [] };
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ((2 << 3) | BYTES)) update.stopTimeUpdate.push(readStopTimeUpdate(reader, readEnd(reader, end)));
    else readTripField(update, tag, reader);
  }
  checkEnd(reader, end);
  if (!update.trip) throw new Error("missing required 'trip'");
  return { ...update, trip: update.trip };
}

function readTripField(update: Growing<TripUpdate>, tag: number, reader: protobuf.Reader): void {
  switch (tag) {
    case (1 << 3) | BYTES:
      update.trip = readPlain<TripDescriptor>(tripDescriptorType, reader.bytes());
      break;
    case (3 << 3) | BYTES:
      update.vehicle = readPlain<VehicleDescriptor>(vehicleDescriptorType, reader.bytes());
      break;
    case (4 << 3) | VARINT:
      update.timestamp = readLong(reader);
      break;
    case (5 << 3) | VARINT:
      update.delay = reader.int32();
      break;
    case (6 << 3) | BYTES:
      update.tripProperties = readPlain<TripProperties>(tripPropertiesType, reader.bytes());
      break;
    default:
      skipField(reader, tag);
  }
}

// The numbers of these enumerations are contiguous from 0.
const relationships = Object.keys(stopTimeRelationship) as (keyof typeof stopTimeRelationship)[];
const occupancies = Object.keys(occupancyStatus) as (keyof typeof occupancyStatus)[];

function readStopTimeUpdate(reader: protobuf.Reader, end: number): StopTimeUpdate {
  const update: Growing<StopTimeUpdate> = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ((1 << 3) | VARINT)) update.stopSequence = reader.uint32();
    else if (tag === ((2 << 3) | BYTES)) update.arrival = readStopTimeEvent(reader, readEnd(reader, end));
    else if (tag === ((3 << 3) | BYTES)) update.departure = readStopTimeEvent(reader, readEnd(reader, end));
    else if (tag === ((4 << 3) | BYTES)) update.stopId = reader.string();
    else if (tag === ((5 << 3) | VARINT)) {
      const relationship = reader.int32();
      update.scheduleRelationship = relationships[relationship] ?? relationship;
    } else if (tag === ((6 << 3) | BYTES)) {
      update.stopTimeProperties = readPlain<StopTimeProperties>(stopTimePropertiesType, reader.bytes());
    } else if (tag === ((7 << 3) | VARINT)) {
      const occupancy = reader.int32();
      update.departureOccupancyStatus = occupancies[occupancy] ?? occupancy;
    } else skipField(reader, tag);
  }
  checkEnd(reader, end);
  return update;
}

function readStopTimeEvent(reader: protobuf.Reader, end: number): StopTimeEvent {
  const event: Growing<StopTimeEvent> = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ((1 << 3) | VARINT)) event.delay = reader.int32();
    else if (tag === ((2 << 3) | VARINT)) event.time = readLong(reader);
    else if (tag === ((3 << 3) | VARINT)) event.uncertainty = reader.int32();
    else if (tag === ((4 << 3) | VARINT)) event.scheduledTime = readLong(reader);
    else skipField(reader, tag);
  }
  checkEnd(reader, end);
  return event;
}

type GrowingEntity = { -readonly [Key in keyof FeedEntity]?: FeedEntity[Key] };

/**
 * Reads an entity, extensions and unknown fields left out.
 * @throws Error for bytes that are not an entity, and for one that lacks a required field
 */
function readEntity(bytes: Uint8Array): FeedEntity {
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
      entity.shape = readPlain<Shape>(shapeType, reader.bytes());
      break;
    case (7 << 3) | BYTES:
      entity.stop = readPlain<FeedStop>(stopType, reader.bytes());
      break;
    case (8 << 3) | BYTES:
      entity.tripModifications = readPlain<TripModifications>(tripModificationsType, reader.bytes());
      break;
    default:
      skipField(reader, tag);
  }
}

const HEADER_TAG = (HEADER_FIELD << 3) | BYTES;
const ENTITY_TAG = (ENTITY_FIELD << 3) | BYTES;

/**
 * Decodes a feed message. An unreadable entity (no protobuf, or a required field is missing) is dropped and reported as
 * `unreadable_entity`. A message truncated between two entities is accepted: the format has no end mark.
 * @param source for problems
 * @throws UnreadableAnswer `empty`; `truncated`, cut off within a field; `not_protobuf`, e.g. an HTML page;
 *   `not_a_feed`, without the header of a feed
 */
export function decodeFeedMessage(bytes: Uint8Array, source = 'gtfs-rt'): DecodedFeedMessage {
  const { header, entities } = splitMessage(bytes);
  const entity: FeedEntity[] = [];
  const problems: RecordProblem[] = [];
  for (const [index, entityBytes] of entities.entries()) {
    try {
      entity.push(readEntity(entityBytes));
    } catch (error) {
      const place = `entity number ${index + 1}`;
      problems.push({ code: 'unreadable_entity', source, place, detail: messageOf(error) });
    }
  }
  return { header: readHeader(header), entity, problems };
}

interface MessageParts {
  readonly header: Uint8Array | null;
  readonly entities: readonly Uint8Array[];
}

/** Splits the outermost message into header and entities without decoding them. */
function splitMessage(bytes: Uint8Array): MessageParts {
  if (bytes.length === 0) throw new UnreadableAnswer('empty', 'the answer is empty');
  let header: Uint8Array | null = null;
  const entities: Uint8Array[] = [];
  const reader = protobuf.Reader.create(bytes);
  try {
    while (reader.pos < bytes.length) {
      const tag = reader.uint32();
      if (tag === ENTITY_TAG) entities.push(reader.bytes());
      else if (tag === HEADER_TAG) header = reader.bytes();
      else skipField(reader, tag);
    }
  } catch (error) {
    // Text also fails with a RangeError, because its characters decode as lengths, but it does not start like a feed.
    const isCutOff = error instanceof RangeError && bytes[0] === HEADER_TAG;
    throw new UnreadableAnswer(isCutOff ? 'truncated' : 'not_protobuf', messageOf(error));
  }
  return { header, entities };
}

function readHeader(bytes: Uint8Array | null): FeedHeader {
  if (!bytes) throw new UnreadableAnswer('not_a_feed', 'the message has no header');
  let header: FeedHeader;
  try {
    header = readPlain<FeedHeader>(feedHeaderType, bytes);
  } catch (error) {
    throw new UnreadableAnswer('not_a_feed', `the header cannot be read: ${messageOf(error)}`);
  }
  if (!/^\d+(\.\d+)*$/.test(header.gtfsRealtimeVersion)) {
    throw new UnreadableAnswer('not_a_feed', 'the header names no version of GTFS-Realtime');
  }
  return header;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
