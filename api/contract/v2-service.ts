import Type, { type Static } from 'typebox';
import { type ProblemCode, problems } from './problems.ts';
import { closed, count, define, described, integer, oneOf, share } from './schema-builders.ts';
import { LocalDate, Timestamp } from './v2-basics.ts';

const problemCodes = Object.keys(problems) as ProblemCode[];

export const Problem = define(
  'Problem',
  closed(
    {
      type: Type.String({ format: 'uri-reference' }),
      title: Type.String(),
      status: integer(400, 599),
      detail: Type.String(),
      code: oneOf(...problemCodes),
      parameter: Type.Optional(
        described('What was wrong: a query name, or the JSON Pointer of a body member.', Type.String()),
      ),
    },
    { description: 'Problem details, RFC 9457.' },
  ),
);
export type Problem = Static<typeof Problem.schema>;

const timetableValidity = closed({ begin: LocalDate.ref, end: LocalDate.ref, dataDate: LocalDate.ref });
/** First and last day of the loaded timetable, and the date of its data. */
export type TimetableValidity = Static<typeof timetableValidity>;

export const Meta = define(
  'Meta',
  closed({
    contract: Type.String(),
    routes: Type.Array(Type.String({ pattern: '^(GET|POST) /' })),
    providers: Type.Array(Type.String()),
    deprecations: Type.Array(closed({ route: Type.String(), removedAfter: Type.String(), note: Type.String() })),
    timetable: Type.Optional(timetableValidity),
  }),
);
export type Meta = Static<typeof Meta.schema>;

/** What "on time", "late" and "early" mean in the numbers beside it; the limits are configured. */
export const punctualityDefinition = () =>
  closed({
    onTimeMaxDelaySeconds: described('On time is a smaller delay than this; early is on time too.', count()),
    lateMinDelaySeconds: described('The late10 share counts this delay and greater ones.', count()),
    earlyMinSeconds: described('The early share counts this delay and smaller ones; negative.', integer(-7200, -1)),
  });

/** The counts that the shares beside them are made of. */
export const punctualityCounts = () => ({
  events: described('As observed.', count()),
  observed: described('Calls of which the source said when they happened; every share is of these.', count()),
  expected: described('Scheduled calls: observed, cancelled, and those of which nobody told.', count()),
  cancelled: described('By explicit report. None of them is observed.', count()),
});

export const lineProduct = () => described('As Line.product; of archives, in the words of the archive.', Type.String());
export const lineOperator = () =>
  described('Name of the operator. Two networks may have a line of one label.', Type.String());

export const History = define(
  'History',
  closed(
    {
      generatedAt: described('When the numbers were made.', Timestamp.ref),
      period: closed({ from: LocalDate.ref, to: LocalDate.ref }),
      definition: punctualityDefinition(),
      totals: closed({
        ...punctualityCounts(),
        onTimeShare: Type.Optional(share()),
        earlyShare: Type.Optional(share()),
        avgDelayMinutes: Type.Optional(Type.Number()),
        late10Share: Type.Optional(share()),
      }),
      daily: described(
        'Service days with scheduled calls, in their order.',
        Type.Array(closed({ day: LocalDate.ref, events: count(), onTimeShare: Type.Optional(share()) })),
      ),
      lines: described(
        'Lines with observed calls, by label, product and operator; an empty label: the line is not known.',
        Type.Array(
          closed({
            line: Type.String(),
            product: Type.Optional(lineProduct()),
            operator: Type.Optional(lineOperator()),
            events: count(),
            onTimeShare: share(),
            avgDelayMinutes: Type.Number(),
          }),
        ),
      ),
      heatmap: described(
        'Weekdays and hours with observed calls, by scheduled local time.',
        Type.Array(
          closed({ isoWeekday: integer(1, 7), hour: integer(0, 23), events: count(), avgDelayMinutes: Type.Number() }),
        ),
      ),
    },
    { description: 'Punctuality from observed times alone; shares are of the observed events.' },
  ),
);
export type History = Static<typeof History.schema>;

export const serviceDefinitions = [Problem, Meta, History] as const;
