import { expect, it } from 'vitest';
import {
  type Answer,
  finalise,
  listRows,
  openWorldToFinalise,
  type ReportedEvent,
  storeAnswers,
} from '../../../support/worlds/finalised-world.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';

const DAY = '2026-03-03';
const stops = ['a', 'b', 'c', 'd'] as const;
/** Scheduled at every call; the first has no arrival, the last no departure. */
const times = ['07:00:00', '07:10:00', '07:20:00', '07:30:00'] as const;

/**
 * Reports of a trip, by stop and event: `x` cancelled, `+60` observed with this delay in seconds, `~60` forecast. Of
 * each call first the arrival, then the departure.
 */
interface Case {
  readonly reason: string;
  readonly reports: Readonly<Partial<Record<(typeof stops)[number], readonly [arrival: string, departure: string]>>>;
  /** By call: the counted event and its values. */
  readonly rows: readonly string[];
}

const runs = ['departure unknown', 'arrival unknown', 'arrival unknown', 'arrival unknown'];
const skipped = ['x', 'x'] as const;

const cases: readonly Case[] = [
  { reason: 'runs without a report', reports: {}, rows: runs },
  {
    reason: 'ends early, as boards report it',
    reports: { a: ['', '+60'], b: ['+120', 'x'], c: skipped, d: skipped },
    rows: ['departure +60', 'arrival +120 ends here', 'arrival cancelled', 'arrival cancelled'],
  },
  {
    reason: 'ends early, as skipped stops report it',
    reports: { a: ['', '+60'], b: ['+120', '~120'], c: skipped, d: skipped },
    rows: ['departure +60', 'arrival +120 ends here', 'arrival cancelled', 'arrival cancelled'],
  },
  {
    reason: 'ends early, without a report of later calls',
    reports: { a: ['', '+60'], b: ['+120', 'x'] },
    rows: ['departure +60', 'arrival +120 ends here', 'arrival cancelled', 'arrival cancelled'],
  },
  {
    reason: 'continues, as a later call reports',
    reports: { b: ['+120', 'x'], c: ['+30', ''] },
    rows: ['departure unknown', 'arrival +120 ends here', 'arrival +30', 'arrival unknown'],
  },
  {
    reason: 'begins late, as boards report it',
    reports: { a: skipped, b: ['x', '+90'], c: ['+60', '+60'] },
    rows: ['departure cancelled', 'departure +90 begins here', 'arrival +60', 'arrival unknown'],
  },
  {
    reason: 'begins late, as skipped stops report it',
    reports: { a: skipped, b: skipped, c: ['~60', '+60'] },
    rows: ['departure cancelled', 'arrival cancelled', 'departure +60 begins here', 'arrival unknown'],
  },
  {
    reason: 'begins late, though its first departure is never reported',
    reports: { a: skipped, b: skipped },
    rows: ['departure cancelled', 'arrival cancelled', 'departure unknown begins here', 'arrival unknown'],
  },
  {
    reason: 'skips a stop',
    reports: { a: ['', '+60'], b: skipped, c: ['+60', '+60'] },
    rows: ['departure +60', 'arrival cancelled', 'arrival +60', 'arrival unknown'],
  },
  {
    reason: 'was observed leaving the stop where it was to end',
    reports: { b: ['+120', '+130'], c: skipped, d: skipped },
    rows: ['departure unknown', 'arrival +120', 'arrival cancelled', 'arrival cancelled'],
  },
  {
    reason: 'does not run if only one call is left',
    reports: { a: skipped, b: ['~60', '~60'], c: skipped, d: skipped },
    rows: ['departure cancelled', 'arrival cancelled', 'arrival cancelled', 'arrival cancelled'],
  },
  {
    reason: 'is cancelled',
    reports: { a: skipped, b: skipped, c: skipped, d: skipped },
    rows: ['departure cancelled', 'arrival cancelled', 'arrival cancelled', 'arrival cancelled'],
  },
  {
    reason: 'is cancelled at its ends by events that they do not have',
    reports: { a: ['x', ''], d: ['', 'x'] },
    rows: runs,
  },
];

/** Each trip has a separate line, because equal trips of a line count once. */
const feed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Etc/UTC
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  ${stops.map((stop, i) => `${stop},Stop ${stop},48.0,16.${i}`).join('\n')}
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  ${cases.map((_, trip) => `r${trip},v,${trip + 1},A - D,3`).join('\n')}
  # trips.txt
  trip_id,route_id,service_id
  ${cases.map((_, trip) => `t${trip},r${trip},daily`).join('\n')}
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  ${cases.flatMap((_, trip) => stops.map((stop, i) => `t${trip},${stop},${i + 1},${times[i]},${times[i]}`)).join('\n')}
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`);

/** Forecasts before any event, the rest after it. */
function toAnswers(): Answer[] {
  const reported = cases.flatMap(({ reports }, trip) =>
    stops.flatMap((stopId, position) =>
      (['arrival', 'departure'] as const).flatMap((event, which): ReportedEvent[] => {
        const report = reports[stopId]?.[which] ?? '';
        const planned = `${DAY}T${times[position]}Z`;
        const call = { trip: `t${trip}`, position, stopId, event, planned };
        if (report === '') return [];
        if (report === 'x') return [{ ...call, isCancelled: true }];
        const time = new Date(Date.parse(planned) + Number(report.slice(1)) * 1000).toISOString();
        return [{ ...call, time, evidence: report.startsWith('~') ? 'forecast' : 'observed_actual' }];
      }),
    ),
  );
  const isForecast = ({ evidence }: ReportedEvent) => evidence === 'forecast';
  return [
    { at: `${DAY}T06:50:00Z`, reported: reported.filter(isForecast) },
    { at: `${DAY}T08:00:00Z`, reported: reported.filter((one) => !isForecast(one)) },
  ];
}

/** Without scheduled times and departures: the event, its delay, and cancellations. */
function describeRow(line: string): string {
  const [, , event] = line.split(' ');
  const delay = / observed_actual (\S+)/.exec(line)?.[1];
  const flag = /cancelled|ends here|begins here/.exec(line)?.[0];
  return [
    event,
    ...(delay === undefined ? (flag === 'cancelled' ? [] : ['unknown']) : [delay]),
    ...(flag ? [flag] : []),
  ].join(' ');
}

it('cancels the events of calls that the trip does not serve', async () => {
  const world = await openWorldToFinalise(feed, DAY);
  await storeAnswers(world, toAnswers());
  const { code, stderr } = await finalise(world, '2026-03-04T13:45:00Z', '--source', 'live', '--date', DAY);
  expect([code, stderr.includes('bug')]).toEqual([0, false]);
  const lines = await listRows(world);
  const found = cases.map(({ reason }, trip) => {
    const rows = lines.filter((line) => line.startsWith(`t${trip}.`)).map(describeRow);
    return { reason, rows };
  });
  expect(found).toEqual(cases.map(({ reason, rows }) => ({ reason, rows })));
});
