import fc from 'fast-check';
import type {
  Alert,
  CarriageDetails,
  FeedEntity,
  FeedMessage,
  FeedStop,
  Modification,
  ReplacementStop,
  SelectedTrips,
  Shape,
  StopSelector,
  StopTimeProperties,
  StopTimeUpdate,
  TripDescriptor,
  TripModifications,
  TripUpdate,
  VehicleDescriptor,
  VehiclePosition,
} from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import * as enums from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';

// Messages as wide as the format: any field may be present or absent, with any value of its type.

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const instant = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const int32 = fc.integer();
const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const float = fc.float({ noNaN: true });
const double = fc.double({ noNaN: true });

/** A name of the reference, or an unknown number. */
function nameOf<Name extends string>(values: Readonly<Record<Name, number>>): fc.Arbitrary<Name | number> {
  return fc.oneof(fc.constantFrom(...(Object.keys(values) as Name[])), fc.integer({ min: 50, max: 5000 }));
}

/** All fields optional, except the named ones. */
function message<Type>(
  fields: { [Key in keyof Type]-?: fc.Arbitrary<Exclude<Type[Key], undefined>> },
  required: readonly (keyof Type)[] = [],
): fc.Arbitrary<Type> {
  return fc.record(fields, { requiredKeys: [...required] }) as fc.Arbitrary<Type>;
}

const list = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 3 });

const tripDescriptor = message<TripDescriptor>({
  tripId: text,
  routeId: text,
  directionId: uint32,
  startTime: text,
  startDate: text,
  scheduleRelationship: nameOf(enums.tripRelationship),
  modifiedTrip: message({ modificationsId: text, affectedTripId: text, startTime: text, startDate: text }),
});

const vehicleDescriptor = message<VehicleDescriptor>({
  id: text,
  label: text,
  licensePlate: text,
  wheelchairAccessible: nameOf(enums.wheelchairAccessible),
});

const stopTimeEvent = message({ delay: int32, time: instant, uncertainty: int32, scheduledTime: instant });

const stopTimeUpdate = message<StopTimeUpdate>({
  stopSequence: uint32,
  stopId: text,
  arrival: stopTimeEvent,
  departure: stopTimeEvent,
  scheduleRelationship: nameOf(enums.stopTimeRelationship),
  stopTimeProperties: message<StopTimeProperties>({
    assignedStopId: text,
    stopHeadsign: text,
    pickupType: nameOf(enums.dropOffPickupType),
    dropOffType: nameOf(enums.dropOffPickupType),
  }),
  departureOccupancyStatus: nameOf(enums.occupancyStatus),
});

const tripUpdate = message<TripUpdate>(
  {
    trip: tripDescriptor,
    vehicle: vehicleDescriptor,
    stopTimeUpdate: list(stopTimeUpdate),
    timestamp: instant,
    delay: int32,
    tripProperties: message({
      tripId: text,
      startDate: text,
      startTime: text,
      shapeId: text,
      tripHeadsign: text,
      tripShortName: text,
    }),
  },
  ['trip', 'stopTimeUpdate'],
);

const vehicle = message<VehiclePosition>(
  {
    trip: tripDescriptor,
    vehicle: vehicleDescriptor,
    position: message({ latitude: float, longitude: float, bearing: float, odometer: double, speed: float }, [
      'latitude',
      'longitude',
    ]),
    currentStopSequence: uint32,
    stopId: text,
    currentStatus: nameOf(enums.vehicleStopStatus),
    timestamp: instant,
    congestionLevel: nameOf(enums.congestionLevel),
    occupancyStatus: nameOf(enums.occupancyStatus),
    occupancyPercentage: uint32,
    multiCarriageDetails: list(
      message<CarriageDetails>({
        id: text,
        label: text,
        occupancyStatus: nameOf(enums.occupancyStatus),
        occupancyPercentage: int32,
        carriageSequence: uint32,
      }),
    ),
  },
  ['multiCarriageDetails'],
);

const translated = fc.record({ translation: list(message({ text, language: text }, ['text'])) });

const alert = message<Alert>(
  {
    activePeriod: list(message({ start: instant, end: instant })),
    informedEntity: list(
      message({
        agencyId: text,
        routeId: text,
        routeType: int32,
        trip: tripDescriptor,
        stopId: text,
        directionId: uint32,
      }),
    ),
    cause: nameOf(enums.alertCause),
    causeDetail: translated,
    effect: nameOf(enums.alertEffect),
    effectDetail: translated,
    url: translated,
    headerText: translated,
    descriptionText: translated,
    ttsHeaderText: translated,
    ttsDescriptionText: translated,
    severityLevel: nameOf(enums.severityLevel),
    image: fc.record({
      localizedImage: list(message({ url: text, mediaType: text, language: text }, ['url', 'mediaType'])),
    }),
    imageAlternativeText: translated,
  },
  ['activePeriod', 'informedEntity'],
);

const stopSelector = message<StopSelector>({ stopSequence: uint32, stopId: text });

const tripModifications = fc.record<TripModifications>({
  selectedTrips: list(message<SelectedTrips>({ tripIds: list(text), shapeId: text }, ['tripIds'])),
  startTimes: list(text),
  serviceDates: list(text),
  modifications: list(
    message<Modification>(
      {
        startStopSelector: stopSelector,
        endStopSelector: stopSelector,
        propagatedModificationDelay: int32,
        replacementStops: list(message<ReplacementStop>({ travelTimeToStop: int32, stopId: text })),
        serviceAlertId: text,
        lastModifiedTime: instant,
      },
      ['replacementStops'],
    ),
  ),
});

const stop = message<FeedStop>({
  stopId: text,
  stopCode: translated,
  stopName: translated,
  ttsStopName: translated,
  stopDesc: translated,
  stopLat: float,
  stopLon: float,
  zoneId: text,
  stopUrl: translated,
  parentStation: text,
  stopTimezone: text,
  wheelchairBoarding: nameOf(enums.wheelchairBoarding),
  levelId: text,
  platformCode: translated,
});

const entity = message<FeedEntity>(
  {
    id: text,
    isDeleted: fc.boolean(),
    tripUpdate,
    vehicle,
    alert,
    shape: message<Shape>({ shapeId: text, encodedPolyline: text }),
    stop,
    tripModifications,
  },
  ['id'],
);

export const feedMessage: fc.Arbitrary<FeedMessage> = fc.record({
  header: message(
    {
      gtfsRealtimeVersion: fc.constantFrom('1.0', '2.0'),
      incrementality: nameOf(enums.incrementality),
      timestamp: instant,
      feedVersion: text,
    },
    ['gtfsRealtimeVersion'],
  ),
  entity: fc.array(entity, { maxLength: 4 }),
});
