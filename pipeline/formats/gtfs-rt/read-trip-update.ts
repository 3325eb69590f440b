import type protobuf from 'protobufjs/light.js';
import { stopTimeRelationship } from './feed-enums.ts';
import type {
  StopTimeEvent,
  StopTimeProperties,
  StopTimeUpdate,
  TripDescriptor,
  TripProperties,
  TripUpdate,
  VehicleDescriptor,
} from './feed-message.ts';
import {
  stopTimePropertiesType,
  tripDescriptorType,
  tripPropertiesType,
  vehicleDescriptorType,
} from './feed-schema.ts';
import { BYTES, checkEnd, readEnd, readLong, readPlain, skipField, VARINT } from './wire.ts';

type Growing<Message> = { -readonly [Key in keyof Message]?: Message[Key] };

/**
 * Reads a trip update from where the reader stands. Written by hand, unlike the rest: a national message holds nearly
 * a million stop time events, and this takes half as long as reading them by the schema. What the schema writes is
 * what is read here; a test holds the two together.
 * @throws Error for bytes that are no trip update, and for one without a trip
 */
export function readTripUpdate(reader: protobuf.Reader, end: number): TripUpdate {
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

const relationships = Object.keys(stopTimeRelationship) as (keyof typeof stopTimeRelationship)[];

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
      // The numbers of this enumeration run from 0 without a gap.
      update.scheduleRelationship = relationships[relationship] ?? relationship;
    } else if (tag === ((6 << 3) | BYTES)) {
      update.stopTimeProperties = readPlain<StopTimeProperties>(stopTimePropertiesType, reader.bytes());
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
