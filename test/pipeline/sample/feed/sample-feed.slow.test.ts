import { describe, expect, it } from 'vitest';
import { distanceMeters } from '../../../../pipeline/model/geo.ts';
import { parseServiceTime, type ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { parseCsv } from '../../../../pipeline/sample/feed/csv.ts';
import { expectedRefusals } from '../../../../pipeline/sample/feed/nasty-cases.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../../../pipeline/sample/feed/sample-feed.ts';

type Row = Record<string, string>;

const today = '2026-11-20' as ServiceDate;
const lookups = await readSampleLookups();
const feed = buildSampleFeed({ today }, lookups);
const tables = [...feed].filter(([file]) => file.endsWith('.txt'));
const parsed = new Map(tables.map(([file, text]) => [file, parseCsv(text).map(trimAll)]));

function trimAll(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value.trim()]));
}

function rows(file: string): readonly Row[] {
  const found = parsed.get(file);
  if (!found) throw new Error(`no ${file} in the feed`);
  return found;
}

function groupBy<Item>(list: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of list) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

const stopsById = new Map(rows('stops.txt').map((row) => [row.stop_id!, row]));
const tripsById = new Map(rows('trips.txt').map((row) => [row.trip_id!, row]));
const callsByTrip = groupBy(rows('stop_times.txt'), (row) => row.trip_id!);
const isNasty = (id: string) => id.includes('pruef');
const honestTrips = [...callsByTrip].filter(([id, [call]]) => !isNasty(id) && call!.location_id === '');
const seconds = (text: string) => parseServiceTime(text) ?? Number.NaN;

describe('equal days and seeds', () => {
  it('give equal bytes', () => expect([...buildSampleFeed({ today }, lookups)]).toEqual([...feed]));

  it('regardless of the order of places', () => {
    const turned = { ...lookups, places: lookups.places.toReversed() };
    expect(buildSampleFeed({ today }, turned).get('stop_times.txt')).toBe(feed.get('stop_times.txt'));
  });
});

it('changes times, but not the network, with another seed', () => {
  const other = buildSampleFeed({ today, seed: 2 }, lookups);
  expect(other.get('stop_times.txt')).not.toBe(feed.get('stop_times.txt'));
  expect(other.get('stops.txt')).toBe(feed.get('stops.txt'));
  expect(other.get('routes.txt')).toBe(feed.get('routes.txt'));
});

it.each([
  ['2026-11-20', '20261020', '20271120'],
  ['2024-02-29', '20240129', '20250228'],
])('on %s is valid from %s to %s', (day, start, end) => {
  const [info] = parseCsv(buildSampleFeed({ today: day as ServiceDate }, lookups).get('feed_info.txt')!);
  expect(info).toMatchObject({ feed_start_date: start, feed_end_date: end });
});

it('changes only dates with another day', () => {
  const other = buildSampleFeed({ today: '2025-06-01' as ServiceDate }, lookups);
  const changed = [...feed].filter(([file, text]) => other.get(file) !== text).map(([file]) => file);
  expect(changed.sort()).toEqual(['calendar.txt', 'calendar_dates.txt', 'feed_info.txt']);
});

it('has a size suitable for a demo', () => {
  expect(rows('stop_times.txt').length).toBeGreaterThan(150_000);
  expect(rows('stop_times.txt').length).toBeLessThan(350_000);
});

it('states that it is made up', () => {
  expect(rows('feed_info.txt')[0]!.feed_publisher_name).toContain('made up');
  for (const agency of rows('agency.txt')) expect(agency.agency_name).toContain('made-up');
});

describe('has valid references except in the deliberate defects', () => {
  const ids = (file: string, column: string) => new Set(rows(file).map((row) => row[column]!));
  const services = new Set([...ids('calendar.txt', 'service_id'), ...ids('calendar_dates.txt', 'service_id')]);

  it.each([
    ['routes.txt', 'agency_id', ids('agency.txt', 'agency_id'), 0],
    ['stops.txt', 'parent_station', ids('stops.txt', 'stop_id'), 0],
    ['stops.txt', 'level_id', ids('levels.txt', 'level_id'), 0],
    ['trips.txt', 'route_id', ids('routes.txt', 'route_id'), refused('trips.txt', 'unknown_route')],
    ['trips.txt', 'service_id', services, 0],
    ['trips.txt', 'shape_id', ids('shapes.txt', 'shape_id'), 0],
    ['stop_times.txt', 'trip_id', ids('trips.txt', 'trip_id'), 0],
    ['stop_times.txt', 'stop_id', ids('stops.txt', 'stop_id'), refused('stop_times.txt', 'unknown_stop')],
    ['stop_times.txt', 'pickup_booking_rule_id', ids('booking_rules.txt', 'booking_rule_id'), 0],
    ['stop_times.txt', 'drop_off_booking_rule_id', ids('booking_rules.txt', 'booking_rule_id'), 0],
    ['frequencies.txt', 'trip_id', ids('trips.txt', 'trip_id'), 0],
    ['transfers.txt', 'from_stop_id', ids('stops.txt', 'stop_id'), 0],
    ['transfers.txt', 'to_stop_id', ids('stops.txt', 'stop_id'), 0],
    ['transfers.txt', 'from_route_id', ids('routes.txt', 'route_id'), 0],
    ['transfers.txt', 'to_route_id', ids('routes.txt', 'route_id'), 0],
    ['transfers.txt', 'from_trip_id', ids('trips.txt', 'trip_id'), 0],
    ['transfers.txt', 'to_trip_id', ids('trips.txt', 'trip_id'), 0],
    ['pathways.txt', 'from_stop_id', ids('stops.txt', 'stop_id'), 0],
    ['pathways.txt', 'to_stop_id', ids('stops.txt', 'stop_id'), 0],
    ['fare_attributes.txt', 'agency_id', ids('agency.txt', 'agency_id'), 0],
    ['fare_rules.txt', 'fare_id', ids('fare_attributes.txt', 'fare_id'), 0],
    ['fare_rules.txt', 'route_id', ids('routes.txt', 'route_id'), 0],
    ['route_networks.txt', 'network_id', ids('networks.txt', 'network_id'), 0],
    ['route_networks.txt', 'route_id', ids('routes.txt', 'route_id'), 0],
    ['stop_areas.txt', 'area_id', ids('areas.txt', 'area_id'), 0],
    ['stop_areas.txt', 'stop_id', ids('stops.txt', 'stop_id'), 0],
    ['fare_leg_rules.txt', 'network_id', ids('networks.txt', 'network_id'), 0],
    ['fare_leg_rules.txt', 'from_area_id', ids('areas.txt', 'area_id'), 0],
    ['fare_leg_rules.txt', 'fare_product_id', ids('fare_products.txt', 'fare_product_id'), 0],
    ['fare_transfer_rules.txt', 'from_leg_group_id', ids('fare_leg_rules.txt', 'leg_group_id'), 0],
    ['translations.txt', 'record_id', ids('stops.txt', 'stop_id'), 0],
  ] as const)('%s %s', (file, column, known, strays) => {
    const used = rows(file).filter((row) => row[column] !== '');
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((row) => !known.has(row[column]!))).toHaveLength(strays);
  });

  it.each([
    ['stops.txt', 'stop_id', refused('stops.txt', 'duplicate_id')],
    ['routes.txt', 'route_id', 0],
    ['trips.txt', 'trip_id', 0],
    ['agency.txt', 'agency_id', 0],
    ['pathways.txt', 'pathway_id', 0],
    ['fare_products.txt', 'fare_product_id', 0],
  ])('%s %s is a key', (file, column, repeated) => {
    const values = rows(file).map((row) => row[column]);
    expect(values.length - new Set(values).size).toBe(repeated);
  });
});

function refused(file: string, code: string): number {
  const found = expectedRefusals.find((refusal) => refusal.file === file && refusal.code === code);
  if (!found) throw new Error(`no refusal ${code} in ${file}`);
  return found.rows;
}

describe('trips', () => {
  it('have ascending times, with no departure before the arrival', () => {
    const wrong = honestTrips.filter(([, calls]) =>
      calls.some((call, i) => {
        const [arrival, departure] = [seconds(call.arrival_time!), seconds(call.departure_time!)];
        const before = calls[i - 1];
        const isRising = !before || arrival > seconds(before.departure_time!);
        return !(arrival <= departure && isRising && call.stop_sequence === String(i + 1));
      }),
    );
    expect(wrong.map(([id]) => id)).toEqual([]);
  });

  it('have ascending distances for trains and none for street lines', () => {
    const wrong = honestTrips.filter(([, calls]) => {
      const meters = calls.map((call) => call.shape_dist_traveled!);
      const isEmpty = meters.every((text) => text === '');
      return !isEmpty && meters.some((text, i) => text === '' || (i > 0 && Number(text) <= Number(meters[i - 1])));
    });
    expect(wrong.map(([id]) => id)).toEqual([]);
    expect(callsByTrip.get('wien-u1-0-weekday-1')![3]!.shape_dist_traveled).not.toBe('');
    expect(callsByTrip.get('wien-d-0-weekday-1')![3]!.shape_dist_traveled).toBe('');
  });

  it('of one line and direction do not overtake each other', () => {
    const groups = groupBy(honestTrips, ([id]) => id.slice(0, id.lastIndexOf('-')));
    for (const [group, trips] of groups) {
      trips.reduce((before, after) => {
        const overtakes = after[1].some(
          (call, i) => seconds(call.arrival_time!) <= seconds(before[1][i]!.arrival_time!),
        );
        expect(overtakes, `${group}: ${after[0]} overtakes ${before[0]}`).toBe(false);
        return after;
      });
    }
  });

  it('forbid boarding and alighting at the ends of trains', () => {
    const calls = callsByTrip.get('rjx-west-0-daily-1')!;
    expect(calls[0]).toMatchObject({ drop_off_type: '1', pickup_type: '' });
    expect(calls.at(-1)).toMatchObject({ pickup_type: '1', drop_off_type: '' });
    expect(calls[3]!.departure_time! > calls[3]!.arrival_time!).toBe(true);
  });

  it('stop on request', () => {
    const requests = rows('stop_times.txt').filter((row) => row.pickup_type === '3');
    expect(new Set(requests.map((row) => stopsById.get(row.stop_id!)!.stop_name))).toContain('Semmering');
  });

  it('continue under another number', () => {
    const inSeat = rows('transfers.txt').filter((row) => row.transfer_type === '4');
    expect(inSeat.length).toBeGreaterThan(3);
    for (const { from_trip_id, to_trip_id } of inSeat) {
      const [from, to] = [tripsById.get(from_trip_id!)!, tripsById.get(to_trip_id!)!];
      expect(from.block_id).toBe(to.block_id);
      const arrival = seconds(callsByTrip.get(from.trip_id!)!.at(-1)!.arrival_time!);
      const departure = seconds(callsByTrip.get(to.trip_id!)![0]!.departure_time!);
      expect(departure - arrival).toBe(7 * 60);
    }
  });
});

describe('running times are plausible', () => {
  it.each([
    ['rjx-salzburg', 'Wien Hbf', 'Salzburg Hbf', 140, 150],
    ['rjx-west', 'Salzburg Hbf', 'Innsbruck Hbf', 105, 115],
    ['rjx-west', 'Innsbruck Hbf', 'Bregenz', 145, 155],
    ['rj-graz', 'Wien Hbf', 'Graz Hbf', 150, 160],
    ['ic-graz-villach', 'Graz Hbf', 'Villach Hbf', 65, 90],
    ['west-wien-salzburg', 'Wien Westbahnhof', 'Linz/Donau Hbf', 75, 90],
    ['nj-west', 'Wien Hbf', 'Bregenz', 480, 600],
    ['wien-u1', 'Oberlaa', 'Wien Leopoldau', 34, 44],
    ['wien-u3', 'Wien Ottakring', 'Wien Simmering', 24, 31],
    ['wien-u4', 'Wien Hütteldorf', 'Wien Heiligenstadt', 27, 34],
    ['wien-u6', 'Siebenhirten', 'Wien Floridsdorf', 32, 40],
    ['wien-d', 'Absberggasse', 'Nußdorf, Beethovengang', 38, 55],
    ['vor-s1', 'Wien Floridsdorf', 'Wien Meidling', 20, 32],
    ['vor-s7', 'Wien Mitte-Landstraße', 'Flughafen Wien Bahnhof', 18, 32],
    ['vor-s45', 'Wien Hütteldorf', 'Wien Handelskai', 20, 32],
    ['bodensee', 'Bregenz Schiffshafen', 'Lindau Schiffshafen', 18, 30],
    ['bregenz-pfaenderbahn', 'Pfänderbahn Talstation', 'Pfänder Bergstation', 4, 8],
  ])('%s from %s to %s in %i to %i minutes', (line, from, to, least, most) => {
    const [, calls] = honestTrips.find(([id]) => id.startsWith(`${line}-0-`))!;
    const at = (name: string) => calls.find((call) => stopsById.get(call.stop_id!)!.stop_name === name)!;
    const minutes = (seconds(at(to).arrival_time!) - seconds(at(from).departure_time!)) / 60;
    expect(minutes).toBeGreaterThanOrEqual(least);
    expect(minutes).toBeLessThanOrEqual(most);
  });

  it('with plausible speeds', () => {
    for (const [id, calls] of honestTrips) {
      calls.reduce((from, to) => {
        const [a, b] = [stopsById.get(from.stop_id!)!, stopsById.get(to.stop_id!)!];
        const meters = distanceMeters(Number(a.stop_lat), Number(a.stop_lon), Number(b.stop_lat), Number(b.stop_lon));
        const kmPerHour = (meters / (seconds(to.arrival_time!) - seconds(from.departure_time!))) * 3.6;
        if (kmPerHour > 200) expect.fail(`${id} from ${a.stop_name} to ${b.stop_name}: ${kmPerHour} km/h`);
        return to;
      });
    }
  });
});

describe('the network', () => {
  it('calls at every place of the lookup', () => {
    const used = new Set<string>();
    for (const { stop_id } of rows('stop_times.txt')) {
      used.add(stop_id!);
      used.add(stopsById.get(stop_id!)?.parent_station ?? '');
    }
    expect(lookups.places.filter(({ id }) => !used.has(id)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['wien', ['U1', 'U2', 'U3', 'U4', 'U6', '1', '2', '5', '18', '43', '49', 'D', 'O']],
    ['wien', ['13A', '26A', '48A', '59A', 'N25', 'N49', 'N60']],
    ['bahn', ['S1', 'S2', 'S3', 'S7', 'S45', 'S80', 'RJX', 'RJ', 'IC', 'EC', 'NJ', 'REX', 'R', 'CJX5']],
    ['westbahn', ['WEST']],
    ['graz', ['1', '3', '4', '5', '6', '7', 'SB']],
    ['linz', ['1', '2', '3', '50']],
    ['salzburg', ['1', '2', '3', 'S1']],
    ['innsbruck', ['1', '3', '6', 'HBB', 'NKB']],
    ['vorarlberg', ['1', '2', 'PB']],
    ['kaernten', ['1', '2']],
    ['schiff', ['BSB', 'DS']],
    ['rufbus', ['Rufbus']],
  ])('of %s has %j', (agency, labels) => {
    const known = rows('routes.txt').filter((row) => row.agency_id === agency);
    expect(known.map((row) => row.route_short_name)).toEqual(expect.arrayContaining(labels));
  });

  it('mixes basic and extended route types', () => {
    const types = new Set(rows('routes.txt').map((row) => Number(row.route_type)));
    for (const type of [0, 1, 2, 3, 4, 6, 7, 102, 106, 109, 400, 700, 704, 705, 900, 1000, 1300, 1400]) {
      expect(types).toContain(type);
    }
  });

  it('has the well-known stations', () => {
    const stations = new Set(
      rows('stops.txt')
        .filter((row) => row.location_type === '1')
        .map((row) => row.stop_name),
    );
    const wanted = ['Wien Hbf', 'Wien Westbahnhof', 'Wien Praterstern', 'Wien Mitte-Landstraße', 'Schwedenplatz'];
    for (const name of [...wanted, 'Stephansplatz', 'Flughafen Wien Bahnhof']) expect(stations).toContain(name);
    expect(stopsById.get('at:49:1040')).toMatchObject({ stop_name: 'Wien Praterstern', stop_code: '60201040' });
  });

  it('lies in Austria, except for two towns on its border', () => {
    const outside = rows('stops.txt').filter(({ stop_lat, stop_lon }) => {
      const [lat, lon] = [Number(stop_lat), Number(stop_lon)];
      return stop_lat !== '' && !(lat > 46.37 && lat < 49.03 && lon > 9.52 && lon < 17.17);
    });
    expect(outside.map((row) => row.stop_name)).toEqual(['Prüfort Jenseits']);
    const foreign = lookups.places.filter(({ id }) => !id.startsWith('at:')).map(({ name }) => name);
    expect(foreign.sort()).toEqual(['Freilassing', 'Lindau Schiffshafen', 'Lindau-Insel']);
  });

  it('has every type of transfer and both kinds of frequency', () => {
    expect(new Set(rows('transfers.txt').map((row) => row.transfer_type))).toEqual(
      new Set(['0', '1', '2', '3', '4', '5']),
    );
    expect(new Set(rows('frequencies.txt').map((row) => row.exact_times))).toEqual(new Set(['0', '1']));
  });
});

it('has no unfilled values', () => {
  for (const [file, text] of feed) expect(text.match(/\b(undefined|null|NaN)\b/)?.[0], file).toBeUndefined();
  expect(rows('routes.txt').find((row) => row.route_short_name === 'U1')?.route_long_name).toBe(
    'Oberlaa - Wien Leopoldau',
  );
});
