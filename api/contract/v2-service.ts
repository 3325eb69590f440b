import { type Static, Type } from './json-schema.ts';
import { type ProblemCode, problems } from './problems.ts';
import { closed, count, define, described, integer, oneOf, share } from './schema-builders.ts';
import { LocalDate, Timestamp } from './v2-basics.ts';

const problemCodes = Object.keys(problems) as ProblemCode[];

export const Problem = define(
  'Problem',
  closed(
    {
      type: described('Page that explains the code.', Type.String({ format: 'uri-reference' })),
      title: described('Summary of the code; the same for all problems of this code.', Type.String()),
      status: described('Status code of the answer.', integer(400, 599)),
      detail: described('What is wrong with this request, and what to do.', Type.String()),
      code: described('Stable code for programs.', oneOf(...problemCodes)),
      parameter: Type.Optional(
        described('The invalid query parameter, or the JSON Pointer of the body member.', Type.String()),
      ),
    },
    { description: 'Problem details, RFC 9457.' },
  ),
);
export type Problem = Static<typeof Problem.schema>;

export const TimetableValidity = define(
  'TimetableValidity',
  closed({
    begin: described('First day on which trips run.', LocalDate.ref),
    end: described('Last day on which trips run.', LocalDate.ref),
    dataDate: described('Day of the data.', LocalDate.ref),
  }),
);
/** First and last day of the loaded timetable, and the date of its data. */
export type TimetableValidity = Static<typeof TimetableValidity.schema>;

const Deprecation = define(
  'Deprecation',
  closed({
    route: described('`METHOD path`.', Type.String()),
    removedAfter: described('Earliest day of removal.', Type.String()),
    note: described('Replacement.', Type.String()),
  }),
);

export const Meta = define(
  'Meta',
  closed({
    contract: described('Version of the app contract.', Type.String()),
    routes: described('`METHOD path` of every route of v2.', Type.Array(Type.String({ pattern: '^(GET|POST) /' }))),
    providers: described('Ids of the configured timetable providers.', Type.Array(Type.String())),
    deprecations: described('Deprecated routes.', Type.Array(Deprecation.ref)),
    timetable: Type.Optional(described('The loaded timetable.', TimetableValidity.ref)),
  }),
);
export type Meta = Static<typeof Meta.schema>;

/** Members of the definition in both versions. */
export const punctualityLimits = () => ({
  onTimeMaxDelaySeconds: described(
    'A call is on time if its delay is smaller than this; early calls are on time too.',
    count(),
  ),
  lateMinDelaySeconds: described('late10Share counts delays of at least this value.', count()),
  earlyMinSeconds: described('earlyShare counts delays of at most this value; negative.', integer(-7200, -1)),
});

export const DERIVED_SHARE = 'Share of the observed calls whose times are derived from positions of their vehicles.';

/** The configured limits of "on time", "late" and "early" that apply to the numbers beside it. */
export const PunctualityDefinition = define(
  'PunctualityDefinition',
  closed({ ...punctualityLimits(), derivedShare: Type.Optional(described(DERIVED_SHARE, share())) }),
);

/** The counts behind the shares beside them. */
export const punctualityCounts = () => ({
  events: described('As observed.', count()),
  observed: described('Calls with an observed time; the base of every share.', count()),
  expected: described('Scheduled calls: observed, cancelled, and unreported ones.', count()),
  cancelled: described('Explicitly reported as cancelled; never counted as observed.', count()),
  replaced: described('Cancelled calls that a replacement trip served within 15 minutes.', count()),
});

export const lineProduct = () => described("As Line.product; for archives, the archive's own name.", Type.String());
export const lineOperator = () =>
  described('Name of the operator; two networks may have a line of the same label.', Type.String());

export const HistoryPeriod = define(
  'HistoryPeriod',
  closed({ from: described('First day.', LocalDate.ref), to: described('Last day.', LocalDate.ref) }),
);

const HistoryTotals = define(
  'HistoryTotals',
  closed({
    ...punctualityCounts(),
    onTimeShare: Type.Optional(described('Share of the observed calls that were on time.', share())),
    earlyShare: Type.Optional(described('Share of the observed calls that were early.', share())),
    avgDelayMinutes: Type.Optional(described('Mean delay; early is negative.', Type.Number())),
    late10Share: Type.Optional(described('Share of the observed calls that were late.', share())),
  }),
);

const HistoryDay = define(
  'HistoryDay',
  closed({
    day: described('Service day.', LocalDate.ref),
    events: described('Observed calls.', count()),
    onTimeShare: Type.Optional(described('Share of them that were on time.', share())),
  }),
);

const HistoryLine = define(
  'HistoryLine',
  closed({
    line: described('Label of the line.', Type.String()),
    product: Type.Optional(lineProduct()),
    operator: Type.Optional(lineOperator()),
    events: described('Observed calls.', count()),
    onTimeShare: described('Share of them that were on time.', share()),
    avgDelayMinutes: described('Their mean delay.', Type.Number()),
  }),
);

const HistoryHour = define(
  'HistoryHour',
  closed({
    isoWeekday: described('1 Monday to 7 Sunday.', integer(1, 7)),
    hour: described('Hour of the day.', integer(0, 23)),
    events: described('Observed calls.', count()),
    avgDelayMinutes: described('Their mean delay.', Type.Number()),
  }),
);

export const History = define(
  'History',
  closed(
    {
      generatedAt: described('When the numbers were computed.', Timestamp.ref),
      period: described('Period of the numbers, both days included.', HistoryPeriod.ref),
      definition: described('Definition of the shares.', PunctualityDefinition.ref),
      totals: described(
        'All days together; shares and average are absent without an observed call.',
        HistoryTotals.ref,
      ),
      daily: described('Service days with scheduled calls, in their order.', Type.Array(HistoryDay.ref)),
      lines: described(
        'Lines with observed calls, by label, product and operator; an empty label: unknown.',
        Type.Array(HistoryLine.ref),
      ),
      heatmap: described(
        'Weekdays and hours with observed calls, by scheduled local time.',
        Type.Array(HistoryHour.ref),
      ),
    },
    { description: 'Punctuality from observed times alone; shares are of the observed events.' },
  ),
);
export type History = Static<typeof History.schema>;

export const serviceDefinitions = [
  Problem,
  TimetableValidity,
  Deprecation,
  Meta,
  PunctualityDefinition,
  HistoryPeriod,
  HistoryTotals,
  HistoryDay,
  HistoryLine,
  HistoryHour,
  History,
] as const;
