import Type, { type Static } from 'typebox';
import { products } from '../../pipeline/model/product.ts';
import {
  closed,
  count,
  define,
  described,
  integer,
  latitude,
  longitude,
  nullable,
  oneOf,
  share,
} from './schema-builders.ts';
import { heading, LocalDate } from './v2-basics.ts';
import { lineOperator, lineProduct, punctualityCounts, punctualityDefinition } from './v2-service.ts';

// Closed like v2; a member without a value is null, never absent.

export const V1Timestamp = define(
  'V1Timestamp',
  Type.String({
    description: 'UTC with milliseconds and Z.',
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    examples: ['2025-10-26T01:30:00.000Z'],
  }),
);

const sourceStatus = () => oneOf('fresh', 'stale', 'standby', 'never');

export const V1Health = define(
  'V1Health',
  closed({
    status: oneOf('ok', 'unhealthy'),
    generatedAt: V1Timestamp.ref,
    freshness: Type.Array(
      closed({
        id: Type.String(),
        status: sourceStatus(),
        ageSeconds: nullable(count()),
        maxAgeSeconds: nullable(count()),
      }),
    ),
    timetable: nullable(closed({ begin: LocalDate.ref, end: LocalDate.ref, dataDate: LocalDate.ref })),
  }),
);
export type V1Health = Static<typeof V1Health.schema>;

export const componentIds = [
  'departures',
  'routePlanning',
  'map',
  'disruptions',
  'punctuality',
  'vehiclePositions',
  'livePredictions',
] as const;
export type ComponentId = (typeof componentIds)[number];

const componentStatus = () => oneOf('operational', 'degraded', 'outage', 'paused', 'unknown');

export const V1Status = define(
  'V1Status',
  closed({
    generatedAt: V1Timestamp.ref,
    overall: described('The worst component; paused and unknown ones are left out.', componentStatus()),
    components: described(
      'A component is unknown until a source that it depends on has been asked since the start.',
      Type.Array(closed({ id: oneOf(...componentIds), name: Type.String(), status: componentStatus() })),
    ),
    measurement: closed({
      predictionsAvailable: described('Whether at least one is told right now.', Type.Boolean()),
      state: oneOf('live', 'idle', 'paused', 'unavailable'),
      reason: nullable(Type.String({ pattern: '^[a-z][a-z0-9_]*$' })),
      evidenceSources: described('Sources that a model has learnt from.', Type.Array(Type.String())),
    }),
    sources: Type.Array(
      closed({
        id: Type.String(),
        status: sourceStatus(),
        lastSuccessAt: nullable(V1Timestamp.ref),
        ageSeconds: nullable(count()),
        attribution: described('Whose work the data is, in the words to be shown.', nullable(Type.String())),
        licence: described('By which licence it may be used.', nullable(Type.String())),
      }),
    ),
    coveredAreas: described('Areas that the live sources of disruptions cover.', Type.Array(Type.String())),
  }),
);
export type V1Status = Static<typeof V1Status.schema>;

const percentage = () => Type.Number({ minimum: 0, maximum: 100 });

export const V1History = define(
  'V1History',
  closed({
    period: closed({ from: LocalDate.ref, to: LocalDate.ref }),
    definition: punctualityDefinition(),
    totals: closed({
      onTimeShare: nullable(share()),
      earlyShare: nullable(share()),
      avgDelayMin: nullable(Type.Number()),
      late10Share: nullable(share()),
      ...punctualityCounts(),
    }),
    officialRealtime: closed({
      daily: described(
        'Service days with scheduled calls, in their order.',
        Type.Array(closed({ day: LocalDate.ref, events: count(), on_time_pct: nullable(percentage()) })),
      ),
      lines: described(
        'Lines with observed calls, by label, product and operator; an empty label: the line is not known.',
        Type.Array(
          closed({
            line: Type.String(),
            product: nullable(lineProduct()),
            operator: nullable(lineOperator()),
            events: count(),
            on_time_pct: percentage(),
          }),
        ),
      ),
      heatmap: described(
        'Weekdays (1 Monday to 7 Sunday) and hours with observed calls, by scheduled local time.',
        Type.Array(closed({ dow: integer(1, 7), hour: integer(0, 23), events: count(), avg_delay_min: Type.Number() })),
      ),
    }),
  }),
);
export type V1History = Static<typeof V1History.schema>;

export const V1Predictions = define(
  'V1Predictions',
  closed({
    generatedAt: V1Timestamp.ref,
    count: count(),
    predictions: described(
      'The nearest first where a place was asked for, then by line, then as the timetable orders its trips.',
      Type.Array(
        closed({
          jid: Type.String(),
          line: nullable(Type.String()),
          delayMin: described('Of the arrival at the next stop, with one decimal; early is negative.', Type.Number()),
          confidence: described(
            'high: at least four of five such arrivals lie within 2 minutes of one another; medium: within 5.',
            oneOf('high', 'medium'),
          ),
          measuredAt: described('When the vehicle was observed; at most eight minutes ago.', V1Timestamp.ref),
        }),
      ),
    ),
  }),
);
export type V1Predictions = Static<typeof V1Predictions.schema>;

export const V1PredictionBatchRequest = define(
  'V1PredictionBatchRequest',
  closed({ jids: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 200 }) }),
);
export type V1PredictionBatchRequest = Static<typeof V1PredictionBatchRequest.schema>;

export const V1Vehicles = define(
  'V1Vehicles',
  closed({
    generatedAt: V1Timestamp.ref,
    source: oneOf('ondemand_live', 'ondemand_capped', 'measurement_snapshot', 'unavailable'),
    count: count(),
    vehicles: Type.Array(
      closed({
        id: Type.String(),
        jid: nullable(Type.String()),
        line: nullable(Type.String()),
        product: nullable(oneOf(...products)),
        direction: nullable(Type.String()),
        lat: latitude(),
        lon: longitude(),
        headingDeg: nullable(heading()),
        observedAt: V1Timestamp.ref,
      }),
    ),
  }),
);
export type V1Vehicles = Static<typeof V1Vehicles.schema>;

export const V1Metro = define(
  'V1Metro',
  closed({
    generatedAt: V1Timestamp.ref,
    status: described('stale: the upstream feed stands still, and no departures are shown.', oneOf('ok', 'stale')),
    departures: Type.Array(
      closed({
        line: Type.String(),
        towards: Type.String(),
        plannedAt: V1Timestamp.ref,
        realAt: nullable(V1Timestamp.ref),
      }),
    ),
  }),
);
export type V1Metro = Static<typeof V1Metro.schema>;

export const V1Announcements = define(
  'V1Announcements',
  closed({
    generatedAt: V1Timestamp.ref,
    announcements: Type.Array(
      closed({
        id: Type.String(),
        title: Type.String(),
        text: Type.String(),
        kind: oneOf('information', 'maintenance', 'disruption', 'update'),
        priority: integer(0),
        activeFrom: nullable(V1Timestamp.ref),
        activeTo: nullable(V1Timestamp.ref),
        url: nullable(Type.String({ format: 'uri' })),
        platforms: described('Empty: every platform.', Type.Array(oneOf('ios', 'android', 'web'))),
      }),
    ),
  }),
);
export type V1Announcements = Static<typeof V1Announcements.schema>;

export const V1NetworkMaps = define(
  'V1NetworkMaps',
  closed({
    generatedAt: V1Timestamp.ref,
    maps: Type.Array(
      closed({
        id: Type.String(),
        title: Type.String(),
        region: Type.String(),
        format: oneOf('pdf', 'svg', 'png'),
        url: described('Served by this service.', Type.String({ format: 'uri-reference' })),
        bytes: count(),
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        validFrom: nullable(LocalDate.ref),
        attribution: nullable(Type.String()),
      }),
    ),
  }),
);
export type V1NetworkMaps = Static<typeof V1NetworkMaps.schema>;

export const v1Definitions = [
  V1Timestamp,
  V1Health,
  V1Status,
  V1History,
  V1Predictions,
  V1PredictionBatchRequest,
  V1Vehicles,
  V1Metro,
  V1Announcements,
  V1NetworkMaps,
] as const;
