import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../../pipeline/model/metro-stations.ts';
import type { SourceUpdate, StopName } from '../../pipeline/model/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { VehicleMatch } from '../../pipeline/realtime/matching/match-result.ts';
import { openMatcher } from '../../pipeline/realtime/matching/open-matcher.ts';
import { parseStopLinks } from '../../pipeline/realtime/matching/stop-link-overrides.ts';
import { decodeFeedMessage } from '../../pipeline/sources/gtfs-rt/decode-feed-message.ts';
import { normaliseFeed } from '../../pipeline/sources/gtfs-rt/normalise-feed.ts';
import { createWienerLinienSource } from '../../pipeline/sources/wiener-linien/wiener-linien-source.ts';
import { context, stopName } from '../pipeline/realtime/matching/matching-world.ts';
import { readTarEntries } from '../support/checks/tar.ts';
import { instant, openWorld } from '../support/worlds/board-world.ts';
import { feedOfVehicles } from '../support/worlds/feed-of-vehicles.ts';
import type { FeedInput } from '../support/worlds/ingest.ts';
import { mergeNothing } from '../support/worlds/ingest.ts';
import { realData } from '../support/worlds/real-data.ts';

const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };

async function openRealMatcher(feed: FeedInput) {
  const [stations, links] = await Promise.all([
    readProjectFile('data/lookups/metro-stations.csv'),
    readProjectFile('data/lookups/stop-links.csv'),
  ]);
  const { records: stopLinks, problems } = parseStopLinks(links);
  expect(problems).toEqual([]);
  // Trips that only vehicle positions name get made-up calls, the same for all.
  const { timetable } = await openWorld({ at: feed }, { settings: { ...CITY_SIZE, merging: mergeNothing } });
  const metroStations = parseMetroStations(stations);
  return { tables: timetable.tables, metroStations, matcher: openMatcher(timetable, { stopLinks, metroStations }) };
}

/** A recorded response, as if it had been fetched at its own timestamp. */
function readAnswer(bytes: Uint8Array): SourceUpdate {
  const message = decodeFeedMessage(bytes);
  const fetchedAt = (message.header.timestamp ?? 0) as Instant;
  return normaliseFeed(message, { source: 'real', fetchedAt, maxAgeSeconds: 300, measuredStopEvents: false });
}

/** Number of occurrences of each text. */
function countWords(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

it('Kingston: matches every scheduled trip of 72 responses by its id, and all its calls', async () => {
  const { matcher } = await openRealMatcher({ location: realData('realtime/kingston/gtfs.zip') });
  const archive = gunzipSync(await readFile(realData('realtime/kingston/trip-updates-2026-01-15.tar.gz')));
  const answers = readTarEntries(archive).filter(({ name }) => name.endsWith('.pb'));
  expect(answers.length).toBe(72);
  const outcomes: string[] = [];
  let reportedCalls = 0;
  let lostCalls = 0;
  for (const { bytes } of answers) {
    const update = readAnswer(bytes);
    for (const report of update.trips) {
      const match = matcher.matchTrip(report, { timetableSource: 'at', now: update.publishedAt! });
      outcomes.push(match.kind === 'dated' ? match.how : match.kind === 'added' ? 'added' : match.reason);
      if (match.kind !== 'dated') continue;
      reportedCalls += report.calls.length;
      lostCalls += match.callProblems;
    }
  }
  expect(countWords(outcomes)).toEqual({ trip_id: 15_967, added: 1160 });
  expect([reportedCalls, lostCalls]).toEqual([389_337, 0]);
});

describe('King County', () => {
  const describeMatch = (match: VehicleMatch) => {
    if (match.kind === 'dated') return `${match.how} ${match.position < 0 ? 'somewhere' : 'at its call'}`;
    return match.kind === 'route' ? `route alone, ${match.reason}` : match.reason;
  };
  const readVehicles = async () =>
    readAnswer(await readFile(realData('realtime/king-county/vehicle-positions.pb'))) satisfies SourceUpdate;

  it('matches no trip to a timetable five years older, which has the same lines', async () => {
    const { matcher } = await openRealMatcher({ location: realData('realtime/king-county/kcm_gtfs.zip') });
    const { vehicles, publishedAt } = await readVehicles();
    const matches = vehicles.map((vehicle) =>
      matcher.matchVehicle(vehicle, { timetableSource: 'at', now: publishedAt! }),
    );
    expect(countWords(matches.map(describeMatch))).toEqual({ 'route alone, unknown_trip': 583, unknown_trip: 44 });
  });

  it('matches all vehicles, at the reported calls, to a timetable of the reported trips', async () => {
    const { vehicles, publishedAt } = await readVehicles();
    const { matcher, tables } = await openRealMatcher(feedOfVehicles(vehicles));
    const matches = vehicles.map((vehicle) =>
      matcher.matchVehicle(vehicle, { timetableSource: 'at', now: publishedAt! }),
    );
    expect(countWords(matches.map(describeMatch))).toEqual({ 'trip_id at its call': 627 });
    const ids = matches.map((match) => (match.kind === 'dated' ? tables.trips.tripId.get(match.trip) : ''));
    expect(ids).toEqual(vehicles.map(({ trip }) => trip?.tripId));
  });
});

describe('Vienna’s underground', () => {
  const about = context('2026-03-16T08:00:00+01:00', 'at');
  // Closed for years, so no trip of the recorded timetable calls there.
  const closed = ['Museumsquartier', 'Rathaus'];

  it('links 96 of 98 stations and 214 of 218 platforms by number; two stations are closed', async () => {
    const { matcher, metroStations, tables } = await openRealMatcher({ location: realData('gtfs/vienna-ubahn.zip') });
    const describeLink = (stop: StopName, name: string) => {
      const link = matcher.findStopLink(stop, about);
      return link ? `${link.how} ${tables.stops.locationType[link.stops[0]!]} ${link.stops.length}` : `closed ${name}`;
    };
    const stations = metroStations.map(({ diva, name }) => describeLink(stopName(String(diva), 'diva'), name));
    expect(countWords(stations)).toEqual({ 'id 1 1': 96, 'closed Museumsquartier': 1, 'closed Rathaus': 1 });
    const platforms = metroStations.flatMap(({ stopPoints, name }) =>
      stopPoints.map((point) => describeLink(stopName(String(point), 'rbl'), name)),
    );
    expect(countWords(platforms)).toEqual({ 'id 1 1': 214, 'closed Museumsquartier': 2, 'closed Rathaus': 2 });
  });

  it('links 94 stations by name and location alone, each to the same station as by number', async () => {
    const { matcher, metroStations } = await openRealMatcher({ location: realData('gtfs/vienna-ubahn.zip') });
    const words = metroStations.map(({ diva, name, lat, lon }) => {
      const link = matcher.findStopLink(stopName(null, 'hafas', { name, lat, lon }), about);
      if (!link) return closed.includes(name) ? 'closed' : `none: ${name}`;
      return link.stops[0] === matcher.matchStop(stopName(String(diva), 'diva'), about) ? link.how : `wrong: ${name}`;
    });
    expect(countWords(words)).toEqual({
      same_name_near: 93,
      similar_name_near: 1,
      closed: 2,
      // The lookup has the coordinates of the railway stations beside them, and the timetable other names.
      'none: Bahnhof Meidling': 1,
      'none: Südtiroler Platz': 1,
    });
  });

  it('matches 45 of 45 departures of the monitor to the minute; two vehicles turn early', async () => {
    const { matcher, tables } = await openRealMatcher({ location: realData('gtfs/vienna-ubahn.zip') });
    const fetchedAt = instant('2026-04-20T14:39:04+02:00');
    const source = createWienerLinienSource({ stations: [60201320] });
    const request = source.listRequests(fetchedAt).find(({ part }) => part === 'monitor-1')!;
    const bytes = await readFile(realData('upstream/wienerlinien/rolandzeiner_monitor_stephansplatz.json'));
    const { trips } = await source.parse(bytes, request, fetchedAt);
    const words = trips.map((report) => {
      const match = matcher.matchTrip(report, { timetableSource: 'at', now: fetchedAt });
      if (match.kind !== 'dated') return match.kind === 'added' ? 'added' : match.reason;
      const headsign = tables.texts.text.get(tables.trips.headsign[match.trip]!);
      return `${match.how} ${headsign === report.trip.headsign ? '' : `${report.trip.headsign} for ${headsign}`}`.trim();
    });
    expect(countWords(words)).toEqual({ stop_line_time: 43, 'stop_line_time Alaudagasse for Oberlaa': 2 });
  });
});
