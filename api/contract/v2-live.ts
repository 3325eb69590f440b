import Type, { type Static } from 'typebox';
import { closed, count, define, described, oneOf } from './schema-builders.ts';
import { affectedLines, Coord, heading, Line, Timestamp } from './v2-basics.ts';

// ---- Predictions -------------------------------------------------------------------------------

export const Prediction = define(
  'Prediction',
  closed({
    journeyRef: Type.String(),
    line: Type.String(),
    delayMinutes: described('Of the arrival at the next stop, with one decimal; early is negative.', Type.Number()),
    confidence: described(
      'high: at least four of five such arrivals lie within 2 minutes of one another; medium: within 5.',
      oneOf('high', 'medium'),
    ),
    measuredAt: described('When the vehicle was observed; at most eight minutes ago.', Timestamp.ref),
    source: described(
      'What observed it: reports of stops, or a vehicle that stood at one.',
      oneOf('stop_events', 'positions'),
    ),
    evidence: described('Of that observation.', oneOf('unknown', 'forecast', 'observed_actual')),
    sourceNames: described('Ids: who observed it, then who else speaks of the trip.', Type.Array(Type.String())),
    sourceConflict: described('Sources disagree on the stop observed or the next one.', Type.Boolean()),
  }),
);
export type Prediction = Static<typeof Prediction.schema>;

export const PredictionBatch = define(
  'PredictionBatch',
  closed({
    generatedAt: Timestamp.ref,
    predictions: described('In the order of the asked references, each once.', Type.Array(Prediction.ref)),
    invalidatedJourneyRefs: described(
      'Of the asked references, those that are unknown, expired or finished.',
      Type.Array(Type.String()),
    ),
  }),
);
export type PredictionBatch = Static<typeof PredictionBatch.schema>;

export const PredictionBatchRequest = define(
  'PredictionBatchRequest',
  closed({ journeyRefs: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 200 }) }),
);
export type PredictionBatchRequest = Static<typeof PredictionBatchRequest.schema>;

// ---- Disruptions -------------------------------------------------------------------------------

export const Disruption = define(
  'Disruption',
  closed({
    id: Type.String(),
    title: Type.String(),
    text: Type.String(),
    priority: Type.Number(),
    operator: Type.Optional(Type.String()),
    category: Type.Optional(Type.String()),
    access: Type.Optional(Type.Boolean()),
    activeFrom: Type.Optional(Timestamp.ref),
    activeTo: Type.Optional(Timestamp.ref),
    activeWindows: Type.Optional(Type.Array(closed({ from: Timestamp.ref, to: Timestamp.ref }))),
    affectedLines: Type.Array(Type.String()),
    lines: affectedLines,
    affectedStops: Type.Array(Type.String()),
    affectedStopIds: Type.Optional(Type.Array(Type.String())),
    links: Type.Optional(Type.Array(closed({ title: Type.String(), url: Type.String({ format: 'uri' }) }))),
    pin: Type.Optional(Coord.ref),
  }),
);
export type Disruption = Static<typeof Disruption.schema>;

export const DisruptionList = define(
  'DisruptionList',
  closed({
    generatedAt: Timestamp.ref,
    coverage: described('What the live sources really cover.', oneOf('nationwide', 'vienna_only')),
    total: count(),
    nextOffset: Type.Optional(described('Offset of the next page; absent on the last one.', count())),
    disruptions: Type.Array(Disruption.ref),
  }),
);
export type DisruptionList = Static<typeof DisruptionList.schema>;

// ---- Vehicles ----------------------------------------------------------------------------------

export const Vehicle = define(
  'Vehicle',
  closed({
    id: Type.String(),
    journeyRef: Type.Optional(Type.String()),
    coord: Coord.ref,
    line: Type.Optional(Line.ref),
    direction: Type.Optional(Type.String()),
    headingDeg: Type.Optional(heading()),
    observedAt: Timestamp.ref,
  }),
);
export type Vehicle = Static<typeof Vehicle.schema>;

export const VehicleSnapshot = define(
  'VehicleSnapshot',
  closed({
    vehicles: Type.Array(Vehicle.ref),
    source: oneOf('measurementSnapshot', 'ondemandLive', 'ondemandCapped', 'ondemandUnavailable', 'unavailable'),
    generatedAt: Timestamp.ref,
    count: count(),
  }),
);
export type VehicleSnapshot = Static<typeof VehicleSnapshot.schema>;

export const liveDefinitions = [
  Prediction,
  PredictionBatch,
  PredictionBatchRequest,
  Disruption,
  DisruptionList,
  Vehicle,
  VehicleSnapshot,
] as const;
