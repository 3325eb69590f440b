import { expect, it } from 'vitest';
import {
  type Answer,
  finalise,
  getManifest,
  live,
  openWorldToFinalise,
  type ReportedEvent,
  storeAnswers,
} from '../../../support/worlds/finalised-world.ts';
import { readStopEvents } from '../../../support/worlds/stop-events.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';

const DAY = '2026-03-03';
const stops = ['a', 'b', 'c', 'd'] as const;
type Stop = (typeof stops)[number];

/** Minutes after seven of each scheduled trip, at all stops; all are cancelled unless a case says otherwise. */
const PLANNED = [0, 10, 20, 30] as const;

interface Additional {
  readonly line?: string;
  /** Minutes after seven at its stops, in its order. */
  readonly calls: readonly (readonly [stop: Stop, minutes: number])[];
  readonly isCancelled?: boolean;
  /** Reported under the key of the scheduled trip, as calls in its place. */
  readonly isOfPlanned?: boolean;
}

interface Case {
  readonly reason: string;
  readonly additional: readonly Additional[];
  /** Scheduled trips of the line, by the minutes of their later departure; one on schedule by default. */
  readonly trips?: readonly number[];
  /** Stops of the scheduled trips that are cancelled; all by default. */
  readonly cancelled?: readonly Stop[];
  /** By scheduled trip, its stops that are replaced. */
  readonly replaced: readonly string[];
}

/** A trip that serves some stops these minutes after the schedule. */
const shifted = (minutes: number, served: readonly Stop[] = stops): Additional => ({
  calls: served.map((stop) => [stop, PLANNED[stops.indexOf(stop)]! + minutes] as const),
});

const cases: readonly Case[] = [
  { reason: 'an additional trip at the same minute', additional: [shifted(0)], replaced: ['abcd'] },
  { reason: 'one a quarter of an hour later', additional: [shifted(15)], replaced: ['abcd'] },
  { reason: 'one later than that', additional: [shifted(16)], replaced: [''] },
  { reason: 'one before it', additional: [shifted(-15)], replaced: ['abcd'] },
  { reason: 'one that skips stops', additional: [shifted(3, ['b', 'd'])], replaced: ['bd'] },
  { reason: 'one that shares one stop', additional: [shifted(0, ['c'])], replaced: [''] },
  {
    reason: 'one in the other direction',
    additional: [
      {
        calls: [
          ['d', 0],
          ['c', 10],
          ['b', 20],
          ['a', 30],
        ],
      },
    ],
    replaced: [''],
  },
  { reason: 'one of another line', additional: [{ ...shifted(0), line: 'other' }], replaced: [''] },
  { reason: 'one that is cancelled too', additional: [{ ...shifted(0), isCancelled: true }], replaced: [''] },
  {
    reason: 'a slower one, which is late at the end',
    additional: [
      {
        calls: [
          ['a', 5],
          ['b', 20],
          ['c', 36],
          ['d', 50],
        ],
      },
    ],
    replaced: ['ab'],
  },
  { reason: 'the nearer of two', additional: [shifted(8), shifted(-2, ['b', 'c'])], replaced: ['bc'] },
  { reason: 'one trip for the nearer of two', trips: [0, 12], additional: [shifted(9)], replaced: ['', 'abcd'] },
  { reason: 'a trip each for two', trips: [0, 12], additional: [shifted(4), shifted(14)], replaced: ['abcd', 'abcd'] },
  { reason: 'no trip that runs in part', additional: [shifted(0)], cancelled: ['c', 'd'], replaced: [''] },
  {
    reason: 'calls that the publisher reports instead of the scheduled ones',
    additional: [{ calls: [['c', 23]], isOfPlanned: true }],
    cancelled: ['b', 'c'],
    replaced: ['c'],
  },
  { reason: 'nothing', additional: [], replaced: [''] },
];

const nameLine = (index: number) => `L${index}`;
const nameTrip = (index: number, trip: number) => `t${index}x${trip}`;
const tripsOf = ({ trips = [0] }: Case) => trips;
const toIso = (minutes: number) => new Date(Date.parse(`${DAY}T07:00:00Z`) + minutes * 60_000).toISOString();

const planned = cases.flatMap((one, index) => tripsOf(one).map((later, trip) => ({ index, trip, later })));

const feed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Etc/UTC
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  ${stops.map((stop, i) => `${stop},Stop ${stop},48.0,16.${i}`).join('\n')}
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  ${cases.map((_, index) => `r${index},v,${nameLine(index)},A - D,3`).join('\n')}
  # trips.txt
  trip_id,route_id,service_id
  ${planned.map(({ index, trip }) => `${nameTrip(index, trip)},r${index},daily`).join('\n')}
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  ${planned
    .flatMap(({ index, trip, later }) =>
      stops.map((stop, i) => {
        const time = toIso(PLANNED[i]! + later).slice(11, 19);
        return `${nameTrip(index, trip)},${stop},${i + 1},${time},${time}`;
      }),
    )
    .join('\n')}
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`);

function reportCancelled(index: number, trip: number, later: number): ReportedEvent[] {
  return stops.flatMap((stopId, position) =>
    (cases[index]!.cancelled ?? stops).includes(stopId)
      ? (['arrival', 'departure'] as const).map((event) => ({
          ...{ trip: nameTrip(index, trip), position, stopId, event, isCancelled: true },
          planned: toIso(PLANNED[position]! + later),
        }))
      : [],
  );
}

function reportAdditional(index: number, number: number, additional: Additional): ReportedEvent[] {
  const { calls, line = nameLine(index), isCancelled = false, isOfPlanned = false } = additional;
  return calls.flatMap(([stopId, minutes], position) =>
    (['arrival', 'departure'] as const).map((event): ReportedEvent => {
      // The publisher has no schedule of it: the times are those that it forecast.
      const reported = isCancelled
        ? { planned: toIso(minutes) }
        : { time: toIso(minutes), evidence: 'forecast' as const };
      const name = isOfPlanned
        ? { trip: nameTrip(index, 0), position: 10 + position }
        : { trip: `x${index}x${number}`, key: BigInt(1000 * index + number + 1), position };
      return { ...name, lineLabel: line, routeId: null, stopId, event, isCancelled, ...reported };
    }),
  );
}

it('counts the cancelled calls that another trip serves', async () => {
  const world = await openWorldToFinalise(feed, DAY);
  const answers: Answer[] = [
    {
      at: `${DAY}T06:30:00Z`,
      reported: [
        ...planned.flatMap(({ index, trip, later }) => reportCancelled(index, trip, later)),
        ...cases.flatMap(({ additional }, index) =>
          additional.flatMap((one, number) => reportAdditional(index, number, one)),
        ),
      ],
    },
  ];
  await storeAnswers(world, answers);
  const { code, stderr } = await finalise(world, '2026-03-04T13:45:00Z', '--source', 'live', '--date', DAY);
  expect([code, stderr.includes('bug')]).toEqual([0, false]);
  const rows = await readStopEvents(world.dataDir, live, world.date, 'trip_id, stop_id, is_added, is_replaced');
  const found = cases.map((one, index) => ({
    reason: one.reason,
    replaced: tripsOf(one).map((_, trip) =>
      rows
        .filter((row) => row.trip_id === nameTrip(index, trip) && row.is_replaced)
        .map(({ stop_id: stop }) => stop)
        .join(''),
    ),
  }));
  expect(found).toEqual(cases.map(({ reason, replaced }) => ({ reason, replaced })));
  expect(rows.filter((row) => row.is_added && row.is_replaced)).toEqual([]);
  const linked = cases.flatMap(({ replaced, additional }) =>
    replaced.filter((calls) => calls !== '' && !additional.some(({ isOfPlanned }) => isOfPlanned)),
  );
  expect((await getManifest(world)).notes).toMatchObject({ trips_replaced: linked.length });
});
