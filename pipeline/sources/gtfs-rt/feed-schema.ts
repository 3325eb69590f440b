import protobuf from 'protobufjs/light.js';
import {
  alertCause,
  alertEffect,
  congestionLevel,
  dropOffPickupType,
  type FeedMessage,
  incrementality,
  occupancyStatus,
  severityLevel,
  stopTimeRelationship,
  tripRelationship,
  vehicleStopStatus,
  wheelchairAccessible,
  wheelchairBoarding,
} from './feed-message.ts';

type Fields = Record<string, protobuf.IField>;

// Without an edition, 0 would read as not sent and no field would be required.
const message = (fields: Fields): protobuf.IType => ({ edition: 'proto2', fields });
const optional = (type: string, id: number): protobuf.IField => ({ type, id });
const required = (type: string, id: number): protobuf.IField => ({ type, id, rule: 'required' });
const repeated = (type: string, id: number): protobuf.IField => ({ type, id, rule: 'repeated' });

// A closed enumeration, proto2's default, would drop unlisted numbers, and a trip with a schedule relationship added to
// the standard later would read as SCHEDULED.
const open = (values: Record<string, number>): protobuf.IEnum => ({
  values,
  options: { features: { enum_type: 'OPEN' } },
});

/** All fields of gtfs-realtime.proto as of 2026-06-05, by number. Extensions (1000 to 1999, 9000 to 9999) are skipped. */
const schema: protobuf.INamespace = {
  nested: {
    Incrementality: open(incrementality),
    TripRelationship: open(tripRelationship),
    StopTimeRelationship: open(stopTimeRelationship),
    DropOffPickupType: open(dropOffPickupType),
    CongestionLevel: open(congestionLevel),
    OccupancyStatus: open(occupancyStatus),
    WheelchairAccessible: open(wheelchairAccessible),
    WheelchairBoarding: open(wheelchairBoarding),
    VehicleStopStatus: open(vehicleStopStatus),
    Cause: open(alertCause),
    Effect: open(alertEffect),
    SeverityLevel: open(severityLevel),

    FeedHeader: message({
      gtfsRealtimeVersion: required('string', 1),
      incrementality: optional('Incrementality', 2),
      timestamp: optional('uint64', 3),
      feedVersion: optional('string', 4),
    }),
    FeedEntity: message({
      id: required('string', 1),
      isDeleted: optional('bool', 2),
      tripUpdate: optional('TripUpdate', 3),
      vehicle: optional('VehiclePosition', 4),
      alert: optional('Alert', 5),
      shape: optional('Shape', 6),
      stop: optional('Stop', 7),
      tripModifications: optional('TripModifications', 8),
    }),

    TripUpdate: message({
      trip: required('TripDescriptor', 1),
      stopTimeUpdate: repeated('StopTimeUpdate', 2),
      vehicle: optional('VehicleDescriptor', 3),
      timestamp: optional('uint64', 4),
      delay: optional('int32', 5),
      tripProperties: optional('TripProperties', 6),
    }),
    TripDescriptor: message({
      tripId: optional('string', 1),
      startTime: optional('string', 2),
      startDate: optional('string', 3),
      scheduleRelationship: optional('TripRelationship', 4),
      routeId: optional('string', 5),
      directionId: optional('uint32', 6),
      modifiedTrip: optional('ModifiedTripSelector', 7),
    }),
    ModifiedTripSelector: message({
      modificationsId: optional('string', 1),
      affectedTripId: optional('string', 2),
      startTime: optional('string', 3),
      startDate: optional('string', 4),
    }),
    TripProperties: message({
      tripId: optional('string', 1),
      startDate: optional('string', 2),
      startTime: optional('string', 3),
      shapeId: optional('string', 4),
      tripHeadsign: optional('string', 5),
      tripShortName: optional('string', 6),
    }),
    StopTimeUpdate: message({
      stopSequence: optional('uint32', 1),
      arrival: optional('StopTimeEvent', 2),
      departure: optional('StopTimeEvent', 3),
      stopId: optional('string', 4),
      scheduleRelationship: optional('StopTimeRelationship', 5),
      stopTimeProperties: optional('StopTimeProperties', 6),
      departureOccupancyStatus: optional('OccupancyStatus', 7),
    }),
    StopTimeEvent: message({
      delay: optional('int32', 1),
      time: optional('int64', 2),
      uncertainty: optional('int32', 3),
      scheduledTime: optional('int64', 4),
    }),
    StopTimeProperties: message({
      assignedStopId: optional('string', 1),
      stopHeadsign: optional('string', 2),
      pickupType: optional('DropOffPickupType', 3),
      dropOffType: optional('DropOffPickupType', 4),
    }),

    TripModifications: message({
      selectedTrips: repeated('SelectedTrips', 1),
      startTimes: repeated('string', 2),
      serviceDates: repeated('string', 3),
      modifications: repeated('Modification', 4),
    }),
    SelectedTrips: message({ tripIds: repeated('string', 1), shapeId: optional('string', 2) }),
    Modification: message({
      startStopSelector: optional('StopSelector', 1),
      endStopSelector: optional('StopSelector', 2),
      propagatedModificationDelay: optional('int32', 3),
      replacementStops: repeated('ReplacementStop', 4),
      serviceAlertId: optional('string', 5),
      lastModifiedTime: optional('uint64', 6),
    }),
    StopSelector: message({ stopSequence: optional('uint32', 1), stopId: optional('string', 2) }),
    ReplacementStop: message({ travelTimeToStop: optional('int32', 1), stopId: optional('string', 2) }),
    Shape: message({ shapeId: optional('string', 1), encodedPolyline: optional('string', 2) }),
    Stop: message({
      stopId: optional('string', 1),
      stopCode: optional('TranslatedString', 2),
      stopName: optional('TranslatedString', 3),
      ttsStopName: optional('TranslatedString', 4),
      stopDesc: optional('TranslatedString', 5),
      stopLat: optional('float', 6),
      stopLon: optional('float', 7),
      zoneId: optional('string', 8),
      stopUrl: optional('TranslatedString', 9),
      parentStation: optional('string', 11),
      stopTimezone: optional('string', 12),
      wheelchairBoarding: optional('WheelchairBoarding', 13),
      levelId: optional('string', 14),
      platformCode: optional('TranslatedString', 15),
    }),

    VehiclePosition: message({
      trip: optional('TripDescriptor', 1),
      position: optional('Position', 2),
      currentStopSequence: optional('uint32', 3),
      currentStatus: optional('VehicleStopStatus', 4),
      timestamp: optional('uint64', 5),
      congestionLevel: optional('CongestionLevel', 6),
      stopId: optional('string', 7),
      vehicle: optional('VehicleDescriptor', 8),
      occupancyStatus: optional('OccupancyStatus', 9),
      occupancyPercentage: optional('uint32', 10),
      multiCarriageDetails: repeated('CarriageDetails', 11),
    }),
    CarriageDetails: message({
      id: optional('string', 1),
      label: optional('string', 2),
      occupancyStatus: optional('OccupancyStatus', 3),
      occupancyPercentage: optional('int32', 4),
      carriageSequence: optional('uint32', 5),
    }),
    VehicleDescriptor: message({
      id: optional('string', 1),
      label: optional('string', 2),
      licensePlate: optional('string', 3),
      wheelchairAccessible: optional('WheelchairAccessible', 4),
    }),
    Position: message({
      latitude: required('float', 1),
      longitude: required('float', 2),
      bearing: optional('float', 3),
      odometer: optional('double', 4),
      speed: optional('float', 5),
    }),

    Alert: message({
      activePeriod: repeated('TimeRange', 1),
      informedEntity: repeated('EntitySelector', 5),
      cause: optional('Cause', 6),
      effect: optional('Effect', 7),
      url: optional('TranslatedString', 8),
      headerText: optional('TranslatedString', 10),
      descriptionText: optional('TranslatedString', 11),
      ttsHeaderText: optional('TranslatedString', 12),
      ttsDescriptionText: optional('TranslatedString', 13),
      severityLevel: optional('SeverityLevel', 14),
      image: optional('TranslatedImage', 15),
      imageAlternativeText: optional('TranslatedString', 16),
      causeDetail: optional('TranslatedString', 17),
      effectDetail: optional('TranslatedString', 18),
    }),
    TimeRange: message({ start: optional('uint64', 1), end: optional('uint64', 2) }),
    EntitySelector: message({
      agencyId: optional('string', 1),
      routeId: optional('string', 2),
      routeType: optional('int32', 3),
      trip: optional('TripDescriptor', 4),
      stopId: optional('string', 5),
      directionId: optional('uint32', 6),
    }),
    TranslatedString: message({ translation: repeated('Translation', 1) }),
    Translation: message({ text: required('string', 1), language: optional('string', 2) }),
    TranslatedImage: message({ localizedImage: repeated('LocalizedImage', 1) }),
    LocalizedImage: message({
      url: required('string', 1),
      mediaType: required('string', 2),
      language: optional('string', 3),
    }),
  },
};

const root = protobuf.Root.fromJSON(schema);

export const feedHeaderType = root.lookupType('FeedHeader');
const feedEntityType = root.lookupType('FeedEntity');
export const tripDescriptorType = root.lookupType('TripDescriptor');
export const tripPropertiesType = root.lookupType('TripProperties');
export const vehicleDescriptorType = root.lookupType('VehicleDescriptor');
export const stopTimePropertiesType = root.lookupType('StopTimeProperties');
export const vehiclePositionType = root.lookupType('VehiclePosition');
export const alertType = root.lookupType('Alert');
export const shapeType = root.lookupType('Shape');
export const stopType = root.lookupType('Stop');
export const tripModificationsType = root.lookupType('TripModifications');
/** Numbers of the two fields of FeedMessage, whose entities are read one by one and therefore not by its type. */
export const HEADER_FIELD = 1;
export const ENTITY_FIELD = 2;

/** Wire types: the lowest three bits of a tag, below the number of the field. */
export const VARINT = 0;
/** Texts, bytes and messages, prefixed with their length. */
export const BYTES = 2;

const asPlainObject: protobuf.IConversionOptions = { longs: Number, enums: String, arrays: true };

/**
 * Decodes a message by its schema.
 * @throws Error of protobufjs, when the bytes are not of this type or lack a required field
 */
export function readPlain<Message>(type: protobuf.Type, bytes: Uint8Array): Message {
  return type.toObject(type.decode(bytes), asPlainObject) as Message;
}

/** Skips the field that a tag announces. */
export function skipField(reader: protobuf.Reader, tag: number): void {
  reader.skipType(tag & 7, 0, tag >>> 3);
}

/**
 * End position of the length-prefixed message at the reader's position.
 * @throws RangeError when it runs beyond the message that contains it
 */
export function readEnd(reader: protobuf.Reader, outerEnd: number): number {
  const length = reader.uint32();
  if (reader.pos + length > outerEnd) throw new RangeError('a message extends beyond its parent');
  return reader.pos + length;
}

/** @throws RangeError when the last field ran beyond its message */
export function checkEnd(reader: protobuf.Reader, end: number): void {
  if (reader.pos !== end) throw new RangeError('a field runs beyond its message');
}

/** Hand-written, because protobufjs allocates an object per 64-bit number. Beyond 2^53 the last digits are lost. */
export function readLong(reader: protobuf.Reader): number {
  let value = 0;
  for (let factor = 1; reader.pos < reader.len; factor *= 128) {
    const byte = reader.buf[reader.pos++]!;
    value += (byte & 127) * factor;
    // Negative numbers are encoded as if 2^64 had been added.
    if (byte < 128) return value < 2 ** 63 ? value : value - 2 ** 64;
  }
  throw new RangeError('a number is cut off');
}

/** Encodes a feed message, header first; the inverse of `decodeFeedMessage`. */
export function encodeFeedMessage({ header, entity }: FeedMessage): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32((HEADER_FIELD << 3) | BYTES).fork();
  feedHeaderType.encode(feedHeaderType.fromObject(header), writer).ldelim();
  for (const one of entity) {
    writer.uint32((ENTITY_FIELD << 3) | BYTES).fork();
    feedEntityType.encode(feedEntityType.fromObject(one), writer).ldelim();
  }
  return writer.finish();
}
