import { products } from '../../pipeline/model/product.ts';
import { componentIds } from './component-ids.ts';
import { type Static, Type } from './json-schema.ts';
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
import {
  DERIVED_SHARE,
  HistoryPeriod,
  lineOperator,
  lineProduct,
  punctualityCounts,
  punctualityLimits,
  TimetableValidity,
} from './v2-service.ts';

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

const sourceStatus = () =>
  described('`standby`: paused by the operator; `never`: not polled yet.', oneOf('fresh', 'stale', 'standby', 'never'));

const V1Freshness = define(
  'V1Freshness',
  closed({
    id: described('A source, or a kind of data.', Type.String()),
    status: sourceStatus(),
    ageSeconds: described('Time since the last success.', nullable(count())),
    maxAgeSeconds: described('Maximum age; older data are stale.', nullable(count())),
  }),
);

export const V1Health = define(
  'V1Health',
  closed({
    status: described('`unhealthy` comes with status code 503.', oneOf('ok', 'unhealthy')),
    generatedAt: described('When the response was generated.', V1Timestamp.ref),
    freshness: described('How fresh each kind of data is.', Type.Array(V1Freshness.ref)),
    timetable: described('The loaded timetable.', nullable(TimetableValidity.ref)),
  }),
);
export type V1Health = Static<typeof V1Health.schema>;

const componentStatus = () =>
  described('How well it works.', oneOf('operational', 'degraded', 'outage', 'paused', 'unknown'));

const V1Component = define(
  'V1Component',
  closed({
    id: described('The component.', oneOf(...componentIds)),
    name: described('Display name.', Type.String()),
    status: componentStatus(),
  }),
);

const V1Measurement = define(
  'V1Measurement',
  closed({
    predictionsAvailable: described('Whether there is at least one prediction now.', Type.Boolean()),
    state: described('Whether predictions are computed.', oneOf('live', 'idle', 'paused', 'unavailable')),
    reason: described(
      'Reason why they are not, as a stable code.',
      nullable(Type.String({ pattern: '^[a-z][a-z0-9_]*$' })),
    ),
    evidenceSources: described(
      'Sources whose trips are predicted: by a trained model, or by a prior until there is one.',
      Type.Array(Type.String()),
    ),
  }),
);

const V1Source = define(
  'V1Source',
  closed({
    id: described('Id of the source.', Type.String()),
    status: sourceStatus(),
    lastSuccessAt: described('Time of the last successful response.', nullable(V1Timestamp.ref)),
    ageSeconds: described('Time since that response.', nullable(count())),
    attribution: described('Attribution of the data; show it verbatim.', nullable(Type.String())),
    licence: described('Licence of the data.', nullable(Type.String())),
  }),
);

export const V1Status = define(
  'V1Status',
  closed({
    generatedAt: described('When the response was generated.', V1Timestamp.ref),
    overall: described('The worst component; paused and unknown ones are left out.', componentStatus()),
    components: described(
      'A component is unknown until one of its sources has been polled since the start.',
      Type.Array(V1Component.ref),
    ),
    measurement: described('Whether delays are predicted, and why not.', V1Measurement.ref),
    sources: described('Every configured source.', Type.Array(V1Source.ref)),
    coveredAreas: described('Areas covered by the live sources of disruptions.', Type.Array(Type.String())),
  }),
);
export type V1Status = Static<typeof V1Status.schema>;

const percentage = () => Type.Number({ minimum: 0, maximum: 100 });

const V1HistoryTotals = define(
  'V1HistoryTotals',
  closed({
    onTimeShare: described('Share of the observed calls that were on time.', nullable(share())),
    earlyShare: described('Share of the observed calls that were early.', nullable(share())),
    avgDelayMin: described('Mean delay in minutes; early is negative.', nullable(Type.Number())),
    late10Share: described('Share of the observed calls that were late.', nullable(share())),
    ...punctualityCounts(),
  }),
);

const V1HistoryDay = define(
  'V1HistoryDay',
  closed({
    day: described('Service day.', LocalDate.ref),
    events: described('Observed calls.', count()),
    on_time_pct: described('Percentage of them that were on time.', nullable(percentage())),
  }),
);

const V1HistoryLine = define(
  'V1HistoryLine',
  closed({
    line: described('Label of the line.', Type.String()),
    product: described('As Line.product; null: unknown.', nullable(lineProduct())),
    operator: described('Name of the operator; null: unknown.', nullable(lineOperator())),
    events: described('Observed calls.', count()),
    on_time_pct: described('Percentage of them that were on time.', percentage()),
  }),
);

const V1HistoryHour = define(
  'V1HistoryHour',
  closed({
    dow: described('1 Monday to 7 Sunday.', integer(1, 7)),
    hour: described('Hour of the day.', integer(0, 23)),
    events: described('Observed calls.', count()),
    avg_delay_min: described('Their mean delay in minutes.', Type.Number()),
  }),
);

const V1OfficialRealtime = define(
  'V1OfficialRealtime',
  closed({
    daily: described('Service days with scheduled calls, in their order.', Type.Array(V1HistoryDay.ref)),
    lines: described(
      'Lines with observed calls, by label, product and operator; an empty label: unknown.',
      Type.Array(V1HistoryLine.ref),
    ),
    heatmap: described(
      'Weekdays (1 Monday to 7 Sunday) and hours with observed calls, by scheduled local time.',
      Type.Array(V1HistoryHour.ref),
    ),
  }),
);

const V1PunctualityDefinition = define(
  'V1PunctualityDefinition',
  closed({
    name: described(
      'observed: only observed times count; lastForecast: final forecasts too, where nothing was observed.',
      oneOf('observed', 'lastForecast'),
    ),
    ...punctualityLimits(),
    derivedShare: described(DERIVED_SHARE, nullable(share())),
    forecastShare: described(
      'Share of the observed calls that count by a final forecast; 0 unless the name is lastForecast.',
      nullable(share()),
    ),
  }),
);

export const V1History = define(
  'V1History',
  closed({
    period: described('Period of the numbers, both days included.', HistoryPeriod.ref),
    definition: described('Definition of the shares.', V1PunctualityDefinition.ref),
    totals: described('All days together; shares and average are null without an observed call.', V1HistoryTotals.ref),
    officialRealtime: described('The same by day, line and hour.', V1OfficialRealtime.ref),
  }),
);
export type V1History = Static<typeof V1History.schema>;

const V1Prediction = define(
  'V1Prediction',
  closed({
    jid: described('Reference of the journey.', Type.String()),
    line: described('Label of its line.', nullable(Type.String())),
    delayMin: described(
      'Predicted delay of the arrival at the next stop, with one decimal; negative: early.',
      Type.Number(),
    ),
    confidence: described(
      'high: at least four of five such arrivals lie within 2 minutes of one another; medium: within 5.',
      oneOf('high', 'medium'),
    ),
    measuredAt: described('When the vehicle was observed; at most eight minutes ago.', V1Timestamp.ref),
  }),
);

export const V1Predictions = define(
  'V1Predictions',
  closed({
    generatedAt: described('When the response was generated.', V1Timestamp.ref),
    count: described('Number of entries.', count()),
    predictions: described(
      'Sorted by distance if a point was given, then by line, then in timetable order of trips.',
      Type.Array(V1Prediction.ref),
    ),
  }),
);
export type V1Predictions = Static<typeof V1Predictions.schema>;

export const V1PredictionBatchRequest = define(
  'V1PredictionBatchRequest',
  closed({
    jids: described(
      'Journey references as received.',
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 200 }),
    ),
  }),
);
export type V1PredictionBatchRequest = Static<typeof V1PredictionBatchRequest.schema>;

const V1Vehicle = define(
  'V1Vehicle',
  closed({
    id: described('Stable as long as the source does not change its vehicle id.', Type.String()),
    jid: described('Reference of its journey.', nullable(Type.String())),
    line: described('Label of its line.', nullable(Type.String())),
    product: described('Kind of vehicle.', nullable(oneOf(...products))),
    direction: described('Headsign of the vehicle.', nullable(Type.String())),
    lat: described('Degrees north, WGS 84.', latitude()),
    lon: described('Degrees east, WGS 84.', longitude()),
    headingDeg: described('Direction of travel: 0 north, 90 east.', nullable(heading())),
    observedAt: described('Time of the position; at most eight minutes ago.', V1Timestamp.ref),
  }),
);

export const V1Vehicles = define(
  'V1Vehicles',
  closed({
    generatedAt: described('When the response was generated.', V1Timestamp.ref),
    source: described(
      'Origin of its vehicles: `measurement_snapshot`: regular polls cover the area; `ondemand_live`: a source was polled for the area within 60 s; `ondemand_capped`: the budget for polls is used up; `unavailable`: paused, or no source can be polled or has answered yet.',
      oneOf('ondemand_live', 'ondemand_capped', 'measurement_snapshot', 'unavailable'),
    ),
    count: described('Number of entries.', count()),
    vehicles: described('Vehicles in the box or of the journeys.', Type.Array(V1Vehicle.ref)),
  }),
);
export type V1Vehicles = Static<typeof V1Vehicles.schema>;

const V1MetroDeparture = define(
  'V1MetroDeparture',
  closed({
    line: described('Label of the line.', Type.String()),
    towards: described('Headsign of the vehicle.', Type.String()),
    plannedAt: described('Scheduled time.', V1Timestamp.ref),
    realAt: described('Time forecast by the source.', nullable(V1Timestamp.ref)),
  }),
);

export const V1Metro = define(
  'V1Metro',
  closed({
    generatedAt: described('When the response was generated.', V1Timestamp.ref),
    status: described(
      'stale: the upstream data are frozen or too old, and no departures are shown.',
      oneOf('ok', 'stale'),
    ),
    departures: described('Future departures, in order of time.', Type.Array(V1MetroDeparture.ref)),
  }),
);
export type V1Metro = Static<typeof V1Metro.schema>;

const V1Announcement = define(
  'V1Announcement',
  closed({
    id: described('Stable.', Type.String()),
    title: described('One line.', Type.String()),
    text: described('Plain text.', Type.String()),
    kind: described('Subject category.', oneOf('information', 'maintenance', 'disruption', 'update')),
    priority: described('Higher numbers are more important.', integer(0)),
    activeFrom: described('Start of validity; null: no start.', nullable(V1Timestamp.ref)),
    activeTo: described('End of validity; null: until further notice.', nullable(V1Timestamp.ref)),
    url: described('Page with more information.', nullable(Type.String({ format: 'uri' }))),
    platforms: described('Target platforms; empty: all platforms.', Type.Array(oneOf('ios', 'android', 'web'))),
  }),
);

export const V1Announcements = define(
  'V1Announcements',
  closed({
    generatedAt: described('When the response was generated.', V1Timestamp.ref),
    announcements: described('Active announcements, sorted by importance.', Type.Array(V1Announcement.ref)),
  }),
);
export type V1Announcements = Static<typeof V1Announcements.schema>;

const V1NetworkMap = define(
  'V1NetworkMap',
  closed({
    id: described('Stable.', Type.String()),
    title: described('Name of the map.', Type.String()),
    region: described('Area or network shown.', Type.String()),
    format: described('Format of the file.', oneOf('pdf', 'svg', 'png')),
    url: described('Path of the file on this service.', Type.String({ format: 'uri-reference' })),
    bytes: described('Size of the file.', count()),
    sha256: described('SHA-256 of the file, hexadecimal.', Type.String({ pattern: '^[0-9a-f]{64}$' })),
    validFrom: described('First day on which the map is valid.', nullable(LocalDate.ref)),
    attribution: described('Credits.', nullable(Type.String())),
  }),
);

export const V1NetworkMaps = define(
  'V1NetworkMaps',
  closed({
    generatedAt: described('When the response was generated.', V1Timestamp.ref),
    maps: described('All maps, by region and title.', Type.Array(V1NetworkMap.ref)),
  }),
);
export type V1NetworkMaps = Static<typeof V1NetworkMaps.schema>;

export const v1Definitions = [
  V1Timestamp,
  V1Freshness,
  V1Health,
  V1Component,
  V1Measurement,
  V1Source,
  V1Status,
  V1HistoryTotals,
  V1HistoryDay,
  V1HistoryLine,
  V1HistoryHour,
  V1OfficialRealtime,
  V1PunctualityDefinition,
  V1History,
  V1Prediction,
  V1Predictions,
  V1PredictionBatchRequest,
  V1Vehicle,
  V1Vehicles,
  V1MetroDeparture,
  V1Metro,
  V1Announcement,
  V1Announcements,
  V1NetworkMap,
  V1NetworkMaps,
] as const;
