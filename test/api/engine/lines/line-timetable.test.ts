import { describe, expect, test } from 'vitest';
import { findLines } from '../../../../api/engine/lines/find-lines.ts';
import { indexLines } from '../../../../api/engine/lines/line-index.ts';
import { buildLineTimetable } from '../../../../api/engine/lines/line-timetable.ts';
import { listLinesByProduct } from '../../../../api/engine/lines/lines-by-product.ts';
import { parseServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';

/** A line with a branch, a short run that begins on the way, a loop at the end, and trains with numbers. */
const feed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.00,16.00
  b,Brücke,48.01,16.01
  c,Dorf,48.02,16.02
  d,Eck,48.03,16.03
  e,Feld,48.04,16.04
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r1,v,13A,3
  r2,v,13A,3
  r3,v,RJX,102
  # trips.txt
  trip_id,route_id,service_id,trip_short_name,direction_id
  full,r1,daily,,0
  branch,r2,daily,,0
  short,r1,daily,,0
  late,r1,daily,,0
  back,r1,daily,,1
  sunday,r1,sunday,,0
  fast,r3,daily,RJX 662,0
  slow,r3,sunday,RJX 1662,0
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type
  full,a,1,08:00:00,08:00:00,0,0
  full,b,2,08:10:00,08:11:00,0,0
  full,c,3,08:20:00,08:20:00,1,1
  full,e,4,08:30:00,08:31:00,0,0
  branch,a,1,08:05:00,08:05:00,0,0
  branch,b,2,08:15:00,08:15:00,0,0
  branch,d,3,08:25:00,08:25:00,0,0
  branch,e,4,08:40:00,08:40:00,0,0
  branch,a,5,08:50:00,08:50:00,0,0
  short,b,1,08:12:30,08:12:30,0,0
  short,c,2,08:21:00,08:21:00,0,0
  short,e,3,08:32:00,08:32:00,0,0
  late,a,1,24:30:00,24:30:00,0,0
  late,b,2,24:40:00,24:40:00,0,0
  late,c,3,24:50:00,24:50:00,0,0
  late,e,4,25:00:00,25:00:00,0,0
  back,e,1,09:00:00,09:00:00,0,0
  back,a,2,09:20:00,09:20:00,0,0
  sunday,a,1,10:00:00,10:00:00,0,0
  sunday,b,2,10:10:00,10:10:00,0,0
  fast,a,1,06:52:00,06:52:00,0,0
  fast,e,2,07:52:00,07:52:00,0,0
  slow,a,1,06:55:00,06:55:00,0,0
  slow,e,2,08:55:00,08:55:00,0,0
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260329
  sunday,0,0,0,0,0,0,1,20260302,20260329
`;

const dayOf = (date: string) => toEpochDay(parseServiceDate(date)!);
const MONDAY = dayOf('2026-03-02');

async function openLines() {
  const { timetable, references } = await openWorld(feed);
  const index = indexLines(timetable);
  const build = (day: number, fromHour: number, untilHour: number) =>
    buildLineTimetable(timetable, references, index.byId.get('at:r2')!, {
      day: day as ReturnType<typeof dayOf>,
      fromHour,
      untilHour,
    });
  return { index, build, find: (query: string, day = MONDAY) => findLines(index, references, query, day, 8) };
}

describe('the timetable of a line', () => {
  test('has one grid for each direction, with the stops of all of its routes', async () => {
    const { build } = await openLines();
    const { id, line, date, directions } = build(MONDAY, 0, 24);
    expect([id, line.label, date]).toEqual(['at:r1', '13A', '2026-03-02']);
    expect(directions.map(({ from, to }) => `${from} - ${to}`)).toEqual(['Anger - Feld', 'Feld - Anger']);
    const [there] = directions;
    const rows = there!.stops.map(({ name }, row) => [name, ...there!.runs.map(({ times }) => times[row])].join(' '));
    expect(rows).toEqual([
      'Anger 08:00  08:05',
      'Brücke 08:11 08:12 08:15',
      'Eck   08:25',
      'Dorf  08:21 ',
      'Feld 08:30 08:32 08:40',
      'Anger   08:50',
    ]);
    expect(new Set(there!.runs.map(({ journeyRef }) => journeyRef)).size).toBe(3);
    expect(there!.isCut).toBe(false);
  });

  test('has the trips that begin within the hours, including those after midnight', async () => {
    const { build } = await openLines();
    const begins = (day: number, from: number, until: number) =>
      build(day, from, until).directions.map(({ runs }) => runs.map(({ times }) => times.find((one) => one !== null)));
    expect(begins(MONDAY, 24, 36)).toEqual([['00:30']]);
    expect(begins(MONDAY, 9, 24)).toEqual([['09:00']]);
    expect(begins(dayOf('2026-03-08'), 9, 24)).toEqual([['10:00'], ['09:00']]);
    expect(begins(dayOf('2026-04-01'), 0, 36)).toEqual([]);
  });
});

describe('the search', () => {
  test.each([
    ['13a', ['13A'], []],
    ['1', ['13A'], []],
    ['662', [], ['RJX 662']],
    ['rjx662', [], ['RJX 662']],
    ['RJX 1', [], ['RJX 1662']],
    ['rjx', ['RJX'], ['RJX 662', 'RJX 1662']],
    [' - ', [], []],
    ['nothing', [], []],
  ])('for "%s" finds the lines %j and the trains %j', async (query, lines, trains) => {
    const found = (await openLines()).find(query);
    expect(found.lines.map(({ line }) => line.label)).toEqual(lines);
    expect(found.trains.map(({ number }) => number)).toEqual(trains);
  });

  test('finds the next trip of a train', async () => {
    const { find } = await openLines();
    const [train] = find('1662').trains;
    expect(train).toMatchObject({
      from: 'Anger',
      to: 'Feld',
      departure: '06:55',
      arrival: '08:55',
      date: '2026-03-08',
    });
    expect(train!.journeyRef).toBeDefined();
    expect(find('1662', dayOf('2026-04-01')).trains[0]).not.toHaveProperty('journeyRef');
  });
});

describe('the lines of each product', () => {
  const list = async (limit: number) => {
    const { index } = await openLines();
    const [first, ...others] = index.lines;
    const [pattern] = others[0]!.patterns;
    const named = (label: string, patterns: readonly number[]) => ({
      ...first!,
      id: label,
      line: { ...first!.line, label },
      patterns,
    });
    const lines = [first!, ...others, named('13B', []), named('2', [pattern!])];
    return listLinesByProduct({ ...index, lines }, limit).map(({ product, count, lines: listed }) => [
      product,
      count,
      listed.map(({ line }) => line.label).join(),
    ]);
  };

  test('are sorted by number', async () => {
    expect(await list(9)).toEqual([
      ['cityBus', 3, '2,13A,13B'],
      ['train', 1, 'RJX'],
    ]);
  });

  test('are those with the most trips, beside the number of all', async () => {
    expect(await list(2)).toEqual([
      ['cityBus', 3, '2,13A'],
      ['train', 1, 'RJX'],
    ]);
  });
});
