import { describe, expect, it } from 'vitest';
import { parseServiceTime, type ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { parseCsv } from '../../../../pipeline/sample/feed/csv.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../../../pipeline/sample/feed/sample-feed.ts';

const feed = buildSampleFeed({ today: '2026-11-20' as ServiceDate }, await readSampleLookups());
const stops = parseCsv(feed.get('stops.txt')!);
// Only the nasty trips' lines: parsing all of the file would take longer than all these tests.
const [header, ...lines] = feed.get('stop_times.txt')!.split('\n');
const calls = parseCsv([header, ...lines.filter((line) => line.includes('pruef'))].join('\n'));
const callsOf = (trip: string) => calls.filter((call) => call.trip_id!.trim() === trip);
const times = (trip: string) => callsOf(trip).map((call) => call.departure_time);

describe('files', () => {
  it('start with a byte order mark: stops.txt alone', () => {
    const marked = [...feed].filter(([, text]) => text.startsWith('\uFEFF')).map(([file]) => file);
    expect(marked).toEqual(['stops.txt']);
  });

  it('end lines with CRLF: routes.txt alone', () => {
    const windows = [...feed].filter(([, text]) => text.includes('\r')).map(([file]) => file);
    expect(windows).toEqual(['routes.txt']);
  });
});

describe('stops', () => {
  it('include one without coordinates', () => {
    expect(stops.filter((stop) => stop.stop_lat === '').map((stop) => stop.stop_id)).toEqual(['at:43:pruef-nowhere']);
  });

  it('include one with invalid coordinates', () => {
    expect(stops.filter((stop) => Math.abs(Number(stop.stop_lat)) > 90)).toHaveLength(1);
  });

  it('include a name with comma, quote and line break', () => {
    expect(stops.filter((stop) => /(?=.*,)(?=.*")(?=.*\n)/s.test(stop.stop_name!))).toHaveLength(1);
  });

  it('include a padded one', () => {
    expect(stops.filter((stop) => stop.stop_id !== stop.stop_id!.trim())).toHaveLength(1);
  });
});

describe('trips', () => {
  it.each([
    ['pruef-past-midnight', 86_400],
    ['pruef-past-two-midnights', 172_800],
  ])('%s ends after %i s', (trip, least) => {
    expect(parseServiceTime(times(trip).at(-1)!)).toBeGreaterThan(least);
  });

  it('pass 2:00 and 3:00 in the nights when clocks change', () => {
    const trips = parseCsv(feed.get('trips.txt')!).filter((trip) => trip.service_id === 'clock_change_night');
    expect(trips.map((trip) => trip.trip_id)).toEqual(['pruef-clock-change']);
    expect(times('pruef-clock-change')).toEqual(['25:30:00', '26:15:00', '26:45:00', '27:30:00', '28:30:00']);
  });

  it('include an unsorted one', () => {
    expect(callsOf('pruef-unsorted').map((call) => call.stop_sequence)).toEqual(['4', '3', '2', '1']);
  });

  it('include a padded one', () => {
    expect(callsOf('pruef-padded').map((call) => call.departure_time)).toEqual([
      ' 13:00:00 ',
      ' 13:05:00 ',
      ' 13:10:00 ',
    ]);
  });

  it('include calls without times, with and without distances', () => {
    const untimed = calls.filter((call) => call.departure_time === '');
    expect(new Set(untimed.map((call) => call.trip_id))).toEqual(
      new Set(['pruef-interpolate-evenly', 'pruef-interpolate-by-coordinates', 'pruef-interpolate-by-distance']),
    );
    expect(callsOf('pruef-interpolate-by-distance').map((call) => call.shape_dist_traveled)).not.toContain('');
  });

  it('include an express that overtakes a local with the same calls', () => {
    const [local, express] = [callsOf('pruef-overtaken-local'), callsOf('pruef-overtaking-express')];
    expect(express.map((call) => call.stop_id)).toEqual(local.map((call) => call.stop_id));
    expect(express[0]!.departure_time! > local[0]!.departure_time!).toBe(true);
    expect(express.at(-1)!.arrival_time! < local.at(-1)!.arrival_time!).toBe(true);
  });

  it('include a loop that calls at its first stop twice', () => {
    const ids = callsOf('pruef-loop').map((call) => call.stop_id);
    expect(ids.at(-1)).toBe(ids[0]);
  });

  it('include one with a single call', () => expect(callsOf('pruef-single-call')).toHaveLength(1));
});
