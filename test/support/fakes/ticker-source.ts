import { UnreadableAnswer } from '../../../pipeline/model/problem.ts';
import { emptyUpdate, type TripReport } from '../../../pipeline/model/realtime.ts';
import type { Instant, ServiceDate } from '../../../pipeline/model/service-time.ts';
import { type Archive, defineSource, type SourceDefinition } from '../../../pipeline/sources/define-source.ts';
import { address, flag, optional, optionsSchema, wholeNumber } from '../../../pipeline/sources/option-schemas.ts';
import type { RealtimeSource, SourceFacts } from '../../../pipeline/sources/realtime-source.ts';

/** One line of the fictional format: `2026-03-03 t1 1 2026-03-03T07:01:30Z left` or `… due`. */
const LINE = /^(\S+) (\S+) (\d+) (\S+) (left|due)$/;

/** A fictional kind of source: departures, one per line. It is defined like any other, in one file. */
export function tickerKind(kind: string, archive: Archive): SourceDefinition {
  return defineSource({
    kind,
    archive,
    options: optionsSchema({
      url: address('URL of the lines.'),
      lines: optional(wholeNumber('Number of requested lines.', 1, 500), 100),
      news: optional(flag('Whether it provides alerts.'), false),
    }),
    areas: ({ news }) => (news ? ['departures', 'disruptions'] : ['departures']),
    areasByPart: { ticker: 'departures' },
    create: async ({ options, facts }) => createTicker(kind, `${options.url}?lines=${options.lines}`, facts),
  });
}

function createTicker(kind: string, url: string, own: Partial<SourceFacts>): RealtimeSource {
  const facts: SourceFacts = {
    zone: 'Europe/Vienna',
    minGapSeconds: 1,
    timeoutSeconds: 5,
    maxBytes: 100_000,
    maxAgeSeconds: 300,
    dailyBudget: null,
    // For both fictional kinds: a source cannot allow what its definition forbids.
    archive: 'full',
    licence: null,
    attribution: null,
    coverage: [],
    isNationwide: false,
    ...own,
    kind,
  };
  const requested = { headers: {}, body: null, intervalSeconds: 60, extension: 'txt' };
  return {
    facts,
    listRequests: () => [{ part: 'ticker', method: 'GET', url, ...requested }],
    parse: (bytes, _request, fetchedAt) => {
      const lines = new TextDecoder().decode(bytes).trim().split('\n');
      const trips = lines.map(readLine);
      return { ...emptyUpdate, publishedAt: fetchedAt, scope: 'mentioned', trips, recordCount: trips.length };
    },
  };
}

function readLine(line: string, index: number): TripReport {
  const [, date, tripId, sequence, time, word] = LINE.exec(line) ?? [];
  if (tripId === undefined) throw new UnreadableAnswer('not_a_ticker', 'a line is not in the ticker format');
  const departure = {
    scheduledTime: null,
    time: (Date.parse(time!) / 1000) as Instant,
    delaySeconds: null,
    isMeasured: word === 'left',
  };
  const call = {
    stop: null,
    arrival: null,
    departure,
    scheduledPlatform: null,
    platform: null,
    assignedStopId: null,
    cancelledEvent: null,
  };
  return {
    place: `line ${index + 1}`,
    trip: {
      tripId,
      routeId: null,
      directionId: null,
      startDate: date as ServiceDate,
      startTime: null,
      lineLabel: null,
      product: null,
      operatorName: null,
      headsign: null,
    },
    relationship: 'scheduled',
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls: [{ stopSequence: Number(sequence), state: 'normal', ...call }],
    vehicleId: null,
    originName: null,
    isSpecial: false,
  };
}
