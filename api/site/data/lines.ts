import {
  AUSTRIA,
  formatTimestamp,
  localDate,
  parseServiceDate,
  toEpochDay,
} from '../../../pipeline/model/service-time.ts';
import { type Static, Type } from '../../contract/json-schema.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { RouteContract } from '../../contract/route-contract.ts';
import { calendarDate, closed, defaulted, described, integer, text } from '../../contract/schema-builders.ts';
import type { LineOverview, LineTimetable } from '../../contract/site-lines.ts';
import { findLines } from '../../engine/lines/find-lines.ts';
import { indexLines } from '../../engine/lines/line-index.ts';
import { buildLineTimetable } from '../../engine/lines/line-timetable.ts';
import { listLinesByProduct } from '../../engine/lines/lines-by-product.ts';
import type { Timetable } from '../../engine/read/timetable.ts';
import { rememberLast } from '../../plugins/remember-last.ts';
import { type Service, timetableRoute } from '../../routes/service.ts';
import { dayParts, endOfPart, LAST_HOUR, partOf } from '../view-model/line-state.ts';
import type { SiteRoute } from './mirror-route.ts';

const listQuery = closed({
  query: described('Label of a line, or number of a train, also without its category.', text(100)),
  limit: defaulted(described('Maximum number of lines, and of trains.', integer(1, 20)), 8),
});

const timetableQuery = closed({
  id: described('Id of the line.', text(500)),
  date: Type.Optional(described('Service date. Absent: today.', calendarDate())),
  fromHour: Type.Optional(
    described(
      'Hour from which runs begin. Absent: the current part of the day, or the next one with runs.',
      integer(0, LAST_HOUR),
    ),
  ),
  untilHour: Type.Optional(
    described('Hour before which they begin. Absent: the end of the part.', integer(1, LAST_HOUR)),
  ),
});

/** Maximum number of lines of a product in the overview. */
const MAX_OVERVIEW_LINES = 60;

const shared = {
  method: 'GET',
  answer: null,
  answerMediaTypes: ['application/json'],
  cacheControl: 'public, max-age=600',
} as const;

const listContract: RouteContract = {
  ...shared,
  path: '/site/data/lines',
  operationId: 'findLines',
  summary: 'Lines and train numbers by name.',
  query: listQuery,
  problems: [],
  cost: 1,
};

const overviewContract: RouteContract = {
  ...shared,
  path: '/site/data/lines/overview',
  operationId: 'listLines',
  summary: 'The lines of each product.',
  query: closed({}),
  problems: [],
  cost: 1,
};

const timetableContract: RouteContract = {
  ...shared,
  path: '/site/data/line',
  operationId: 'getLineTimetable',
  summary: 'The timetable of a line on one day.',
  query: timetableQuery,
  problems: [],
  cost: 2,
};

/** Routes that search for lines and trains, and return the timetable of a line. */
export function lineDataRoutes({ references }: Service): readonly SiteRoute[] {
  // The first request on a timetable builds its index of lines.
  const findIndex = rememberLast(indexLines);
  const findOverview = rememberLast(
    (timetable: Timetable): LineOverview => ({
      products: listLinesByProduct(findIndex(timetable), MAX_OVERVIEW_LINES),
    }),
  );
  return [
    {
      contract: listContract,
      handler: {
        snapshot: 'required',
        changesWithTime: () => true,
        answer: ({ snapshot, query, instant }) => {
          const { query: name, limit } = query as Static<typeof listQuery>;
          const today = toEpochDay(localDate(instant, AUSTRIA));
          return { json: findLines(findIndex(snapshot!.value.timetable), references, name, today, limit) };
        },
      },
    },
    { contract: overviewContract, handler: timetableRoute(findOverview) },
    {
      contract: timetableContract,
      handler: {
        snapshot: 'required',
        changesWithTime: ({ date, fromHour }) => date === undefined || fromHour === undefined,
        answer: ({ snapshot, query, instant }) => {
          const { id, date, ...hours } = query as Static<typeof timetableQuery>;
          const { timetable } = snapshot!.value;
          const line = findIndex(timetable).byId.get(id);
          if (!line) throw new ApiProblem('invalid_parameter', 'The timetable has no line with this id.', 'id');
          const day = toEpochDay(readDate(date) ?? localDate(instant, AUSTRIA));
          const build = (fromHour: number, untilHour = hours.untilHour ?? endOfPart(fromHour)) =>
            buildLineTimetable(timetable, references, line, { day, fromHour, untilHour });
          if (hours.fromHour !== undefined) return { json: build(hours.fromHour) };
          const now = partOf(Number(formatTimestamp(instant, AUSTRIA).slice(11, 13)));
          return { json: findPartWithRuns(now, build) };
        },
      },
    },
  ];
}

/** The timetable of the current part of the day, or of the next part in which runs begin: at night, the early morning. */
function findPartWithRuns(now: number, build: (fromHour: number) => LineTimetable): LineTimetable {
  const current = build(now);
  if (current.directions.length > 0) return current;
  for (const later of dayParts.filter((hour) => hour > now)) {
    const timetable = build(later);
    if (timetable.directions.length > 0) return timetable;
  }
  return current;
}

/** @throws ApiProblem `invalid_parameter` for a date that does not exist */
function readDate(date: string | undefined) {
  if (date === undefined) return null;
  const read = parseServiceDate(date);
  if (read === null) throw new ApiProblem('invalid_parameter', '"date" must be a date of the calendar.', 'date');
  return read;
}
