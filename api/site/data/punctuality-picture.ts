import { type Static, Type } from '../../contract/json-schema.ts';
import type { RouteContract } from '../../contract/route-contract.ts';
import { closed, defaulted, described, exclusive, oneOf, text } from '../../contract/schema-builders.ts';
import type { PunctualityDay, PunctualityShares } from '../../contract/site-charts.ts';
import { toRows } from '../../history/chart.ts';
import { punctualityCharts } from '../../history/punctuality-charts.ts';
import { DEFAULT_DAYS } from '../../history/question.ts';
import { findStopName, type HistoryData, historyHandler, readQuestion } from '../../routes/history-question.ts';
import type { Service, ServiceRequest } from '../../routes/service.ts';
import { drawPicture, drawPunctuality } from '../view-model/punctuality-picture.ts';
import { listTripBars, summariseTripRecord } from '../view-model/trip-record.ts';
import type { SiteRoute } from './mirror-route.ts';
import { readTripRecord, tripNumberMembers } from './trip-record.ts';

const SVG = 'image/svg+xml; charset=utf-8';

const pictureQuery = closed(
  {
    line: Type.Optional(described('A line label.', text(200))),
    stopId: Type.Optional(described('A stop, or a station with all of its stops.', text(300))),
    ...tripNumberMembers,
    number: Type.Optional(tripNumberMembers.number),
    language: defaulted(described('Language of the picture.', oneOf('de', 'en')), 'de'),
  },
  {
    ...exclusive(['line', 'stopId'], ['line', 'number'], ['stopId', 'number']),
    dependentRequired: { operator: ['number'] },
  },
);

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/punctuality/picture',
  operationId: 'getPunctualityPicture',
  summary: 'The punctuality of a line, a stop or a trip number as a picture, for other sites.',
  query: pictureQuery,
  answer: null,
  answerMediaTypes: ['image/svg+xml'],
  problems: ['unknown_stop'],
  cost: 2,
  cacheControl: 'public, max-age=3600',
};

/** A picture that other sites embed: the share of punctual calls, and a bar for each day. */
export function punctualityPictureRoute(service: Service): SiteRoute {
  return {
    contract,
    handler: {
      ...historyHandler(service),
      changesWithTime: () => true,
      answer: async (request) => {
        const { language, line, number } = request.query as Static<typeof pictureQuery>;
        if (number !== undefined) return { bytes: Buffer.from(await drawTrip(request)), mediaType: SVG };
        const { totals, days } = await readShares(service, request);
        const svg = drawPunctuality({ name: line ?? findStopName(request) ?? 'Taktgeber', totals, days, language });
        return { bytes: Buffer.from(svg), mediaType: SVG };
      },
    },
  };
}

async function drawTrip(request: ServiceRequest): Promise<string> {
  const { language } = request.query as Static<typeof pictureQuery>;
  const record = await readTripRecord(request);
  const verdict = summariseTripRecord(record, language);
  return drawPicture({ name: record.number, verdict, bars: listTripBars(record), language });
}

interface Shares {
  readonly totals: PunctualityShares | null;
  readonly days: readonly PunctualityDay[];
}

async function readShares(service: Service, request: ServiceRequest): Promise<Shares> {
  const question = readQuestion(service, request, DEFAULT_DAYS.v2);
  const { history, definition } = request.data as HistoryData;
  if (!history) return { totals: null, days: [] };
  const charts = punctualityCharts(history.chartSql, {
    ...question,
    definition: { ...definition, evidence: 'observed_actual' },
  });
  const [totals, days] = await history.queryCharts([charts.totals!, charts.days!], question.period, request.whenGone);
  return {
    totals: (toRows(totals!)[0] ?? null) as PunctualityShares | null,
    days: toRows(days!) as unknown as readonly PunctualityDay[],
  };
}
