import { type Static, Type } from './json-schema.ts';
import { closed, count, define, described, oneOf } from './schema-builders.ts';
import { affectedLines, Coord, heading, Line, Timestamp } from './v2-basics.ts';

// ---- Predictions -------------------------------------------------------------------------------

export const Prediction = define(
  'Prediction',
  closed({
    journeyRef: described('The journey, as requested.', Type.String()),
    line: described('Label of its line.', Type.String()),
    delayMinutes: described(
      'Predicted delay of the arrival at the next stop, with one decimal; negative: early.',
      Type.Number(),
    ),
    confidence: described(
      'high: at least four of five such arrivals lie within 2 minutes of one another; medium: within 5.',
      oneOf('high', 'medium'),
    ),
    measuredAt: described('When the vehicle was observed; at most eight minutes ago.', Timestamp.ref),
    source: described(
      'Kind of observation: reports of stops, or a vehicle position at one.',
      oneOf('stop_events', 'positions'),
    ),
    evidence: described('Evidence of that observation.', oneOf('unknown', 'forecast', 'observed_actual')),
    sourceNames: described(
      'Ids: the source that observed it, then all others with realtime of the trip.',
      Type.Array(Type.String()),
    ),
    sourceConflict: described('Sources disagree on the last observed stop or on the next stop.', Type.Boolean()),
  }),
);
export type Prediction = Static<typeof Prediction.schema>;

export const PredictionBatch = define(
  'PredictionBatch',
  closed({
    generatedAt: described('When the response was generated.', Timestamp.ref),
    predictions: described('In the order of the requested references, each once.', Type.Array(Prediction.ref)),
    invalidatedJourneyRefs: described(
      'Requested references that are unknown, expired or finished.',
      Type.Array(Type.String()),
    ),
  }),
);
export type PredictionBatch = Static<typeof PredictionBatch.schema>;

export const PredictionBatchRequest = define(
  'PredictionBatchRequest',
  closed({
    journeyRefs: described(
      'References as received.',
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 200 }),
    ),
  }),
);
export type PredictionBatchRequest = Static<typeof PredictionBatchRequest.schema>;

// ---- Disruptions -------------------------------------------------------------------------------

const TimeWindow = define(
  'TimeWindow',
  closed({ from: described('Beginning.', Timestamp.ref), to: described('End.', Timestamp.ref) }),
);

const DisruptionLink = define(
  'DisruptionLink',
  closed({
    title: described('Title of the page.', Type.String()),
    url: described('URL of the page.', Type.String({ format: 'uri' })),
  }),
);

export const Disruption = define(
  'Disruption',
  closed({
    id: described('Stable as long as the publisher does not change its id.', Type.String()),
    title: described('One line.', Type.String()),
    text: described('Plain text without markup.', Type.String()),
    priority: described('Higher numbers are more important.', Type.Number()),
    operator: Type.Optional(described('Its publisher, else the affected operator.', Type.String())),
    category: Type.Optional(described('Category given by the publisher, else the kind of the notice.', Type.String())),
    access: Type.Optional(described('True when the access to stops or vehicles is impaired.', Type.Boolean())),
    activeFrom: Type.Optional(described('Beginning of the first window; absent: from any time.', Timestamp.ref)),
    activeTo: Type.Optional(described('End of the last window; absent: until further notice.', Timestamp.ref)),
    activeWindows: Type.Optional(described('Periods of validity, in order of time.', Type.Array(TimeWindow.ref))),
    affectedLines: described(
      'Labels of the lines; empty: all lines of the stops or the operator.',
      Type.Array(Type.String()),
    ),
    lines: affectedLines,
    affectedStops: described('Names of the stops; empty: all stops of the lines.', Type.Array(Type.String())),
    affectedStopIds: Type.Optional(
      described('Stop.id of the affected stops that are in the timetable.', Type.Array(Type.String())),
    ),
    links: Type.Optional(described('Pages with more information.', Type.Array(DisruptionLink.ref))),
    pin: Type.Optional(described('Position for the map.', Coord.ref)),
  }),
);
export type Disruption = Static<typeof Disruption.schema>;

export const DisruptionList = define(
  'DisruptionList',
  closed({
    generatedAt: described('When the response was generated.', Timestamp.ref),
    coverage: described('Area covered by the live sources.', oneOf('nationwide', 'vienna_only')),
    total: described('Number of entries on all pages.', count()),
    nextOffset: Type.Optional(described('Offset of the next page; absent on the last one.', count())),
    disruptions: described('Sorted by importance.', Type.Array(Disruption.ref)),
  }),
);
export type DisruptionList = Static<typeof DisruptionList.schema>;

// ---- Vehicles ----------------------------------------------------------------------------------

export const Vehicle = define(
  'Vehicle',
  closed({
    id: described('Stable as long as the source does not change its vehicle id.', Type.String()),
    journeyRef: Type.Optional(described('Its journey; absent if unknown.', Type.String())),
    coord: described('Where it was observed.', Coord.ref),
    line: Type.Optional(described('Its line.', Line.ref)),
    direction: Type.Optional(described('Headsign of the vehicle.', Type.String())),
    headingDeg: Type.Optional(described('Direction of travel: 0 north, 90 east.', heading())),
    observedAt: described('Time of the observation; at most eight minutes ago.', Timestamp.ref),
  }),
);
export type Vehicle = Static<typeof Vehicle.schema>;

export const VehicleSnapshot = define(
  'VehicleSnapshot',
  closed({
    vehicles: described('Vehicles in the box or of the journeys.', Type.Array(Vehicle.ref)),
    source: described(
      'Origin of its vehicles: `measurementSnapshot`: regular polls cover the area; `ondemandLive`: a source was polled for the area within 60 s; `ondemandCapped`: the budget for polls is used up; `ondemandUnavailable`: no source can be polled, or none has answered yet, retry in some seconds; `unavailable`: paused.',
      oneOf('measurementSnapshot', 'ondemandLive', 'ondemandCapped', 'ondemandUnavailable', 'unavailable'),
    ),
    generatedAt: described('When the response was generated.', Timestamp.ref),
    count: described('Number of entries.', count()),
  }),
);
export type VehicleSnapshot = Static<typeof VehicleSnapshot.schema>;

export const liveDefinitions = [
  Prediction,
  PredictionBatch,
  PredictionBatchRequest,
  TimeWindow,
  DisruptionLink,
  Disruption,
  DisruptionList,
  Vehicle,
  VehicleSnapshot,
] as const;
