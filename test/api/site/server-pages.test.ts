import { describe, expect, test } from 'vitest';
import { ApiProblem } from '../../../api/contract/problems.ts';
import type { Planning } from '../../../api/planning/planning.ts';
import { serverJourney } from '../../../api/site/pages/server-journey.ts';
import { serverLegs } from '../../../api/site/pages/server-legs.ts';
import { findTripsAddress } from '../../../api/site/pages/server-trip-form.ts';
import type { PageRequest } from '../../../api/site/shell/page.ts';
import { tripsTexts } from '../../../api/site/texts/trips.ts';
import { tripsPath } from '../../../api/site/view-model/trip-paths.ts';
import { readState } from '../../../api/site/view-model/trips-state.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { at, reportInTown } from '../engine/live-town.ts';
import { liveTripTown } from '../engine/trips/trip-town.ts';
import { openService } from '../service-app.ts';

const NOW = '08:03';
const english = { accept: 'text/html', 'accept-language': 'en' };
const site = { examples: [], findStopName: (id: string) => (id === 'at:s' ? 'Bahnhof' : null) };

async function openTown({
  now = NOW,
  ...options
}: {
  readonly now?: string;
  readonly planning?: Planning;
  readonly overrides?: object;
} = {}) {
  const world = await liveTripTown(now, { trips: [] });
  return openService(world, { clock: fixedClock(at(now)), overrides: { site }, ...options });
}

/** Texts of elements, without markup. */
const textOf = (body: string) =>
  body
    .replace(/<script.*?<\/script>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

/** The data blocks of a page, by path. */
const answersIn = (body: string) =>
  new Map(
    [
      ...body.matchAll(/<script type="application\/json" data-answer-of="([^"]+)" data-date="[^"]+">(.*?)<\/script>/gs),
    ].map(([, path, text]) => [path!.replaceAll('&amp;', '&'), JSON.parse(text!)] as const),
  );

describe('a board without a script', () => {
  const openBoard = async () =>
    openService(await reportInTown([], { reportedAt: '08:00', now: '08:00' }), {
      clock: fixedClock(at('08:00')),
      overrides: { site },
    });

  test('has the rows of the data, and the data for the script', async () => {
    const app = await openBoard();
    const { statusCode, body } = await app.inject({ url: '/stops/at%3As', headers: english });
    expect(statusCode).toBe(200);
    const answers = answersIn(body);
    expect([...answers.keys()]).toEqual([
      '/site/data/stops/at%3As/departures?limit=30&durationMinutes=720',
      '/site/data/stops/at%3As/info',
    ]);
    for (const [path, answer] of answers) expect(answer).toEqual((await app.inject({ url: path })).json());
    const rows = [...body.matchAll(/<li data-cancelled.*?<\/li>/gs)].map(([row]) => textOf(row).trim());
    const { departures } = answers.get([...answers.keys()][0]!);
    expect(rows).toHaveLength(departures.length);
    expect(rows[0]).toMatch(/^Bus|City bus/);
    expect(rows[0]).toContain('08:12');
    expect(rows[0]).toContain('in 12 min');
    expect(body).toContain(`href="/journeys/${encodeURIComponent(departures[0].journeyRef)}?stop=at%3As"`);
  });

  test('is filtered by line and direction, whose links keep the rest of the state', async () => {
    const app = await openBoard();
    const { body } = await app.inject({ url: '/stops/at%3As?show=arrivals&line=2', headers: english });
    const rows = [...body.matchAll(/<li data-cancelled.*?<\/li>/gs)].map(([row]) => textOf(row));
    expect(rows.every((row) => / 2 /.test(row))).toBe(true);
    expect(body).toContain('href="?show=arrivals&amp;line=1"');
    expect(body).toContain('href="?show=arrivals" aria-current="true"');
    const none = await app.inject({ url: '/stops/at%3As?direction=Nirgends', headers: english });
    expect(textOf(none.body)).toContain('Clear the filter to see all lines.');
    expect(none.body).toContain('<option selected>Nirgends</option>');
  });

  test('has all rows if the fields of its forms are empty', async () => {
    const app = await openBoard();
    const rowsOf = async (url: string) =>
      (await app.inject({ url, headers: english })).body.match(/<li data-cancelled.*?<\/li>/gs);
    const all = await rowsOf('/stops/at%3As');
    expect(all).not.toBeNull();
    for (const field of ['line', 'direction', 'time']) expect(await rowsOf(`/stops/at%3As?${field}=`)).toEqual(all);
  });

  test('of an unknown stop says so, and offers the search', async () => {
    const app = await openBoard();
    const { statusCode, body } = await app.inject({ url: '/stops/none', headers: english });
    expect(statusCode).toBe(404);
    expect(textOf(body)).toContain('The timetable has no such stop');
    expect(body).toContain('<form class="stop-search" action="/stops">');
    expect(answersIn(body).size).toBe(0);
  });
});

test('a search lists stops without a script, and says what to do if there are none', async () => {
  const app = await openTown();
  const found = await app.inject({ url: '/stops?query=kirche', headers: english });
  expect(found.body).toContain('<a href="/stops/at%3Ak"><bdi>Kirche</bdi></a>');
  expect(found.body).toContain('name="query" value="kirche"');
  const none = await app.inject({ url: '/stops?query=xyzzy', headers: english });
  expect(textOf(none.body)).toContain('Try a shorter part of it, or add the town.');
  expect((await app.inject({ url: '/stops', headers: english })).body).not.toContain('data-answer-of');
});

describe('trips without a script', () => {
  test('are found for typed names: the form leads to their address', async () => {
    const app = await openTown();
    const sent = await app.inject({
      url: '/trips?fromName=anger&toName=Kirche&when=departure&time=2026-03-03T07%3A55',
      headers: english,
    });
    expect(sent.statusCode).toBe(303);
    const address = new URL(String(sent.headers.location), 'http://x');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      from: 'at:a',
      fromName: 'Anger',
      to: 'at:k',
      toName: 'Kirche',
      departure: '2026-03-03T07:55',
    });
    const { body } = await app.inject({ url: address.pathname + address.search, headers: english });
    const options = [...body.matchAll(/<li class="option".*?<\/p>/gs)].map(([one]) => textOf(one).trim());
    expect(options[0]).toMatch(/08:00 → 08:06/);
    const [, link] = /<p class="times"><a href="([^"]+)"/.exec(body)!;
    const chosen = await app.inject({ url: link!.replaceAll('&amp;', '&'), headers: english });
    expect(body).toContain('<title>Anger → Kirche · Taktgeber</title>');
    expect(chosen.body).toContain('<title>Anger → Kirche 08:00 · Taktgeber</title>');
    expect(textOf(chosen.body)).toMatch(/All trips Anger → Kirche .* 08:00 Anger .* 08:06 Kirche/);
    expect(chosen.body.match(/data-answer-of/g)).toHaveLength(2);
  });

  test('pass stops on the way, which are found by name like the ends', async () => {
    const app = await openTown();
    const read = (url: string) => app.inject({ url, headers: english });
    const sent = await read(
      '/trips?fromName=anger&toName=hof&viaName=kirche&via2Name=&when=departure&time=2026-03-03T07:55',
    );
    const address = new URL(String(sent.headers.location), 'http://x');
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ from: 'at:a', via: 'at:k', viaName: 'Kirche' });
    const { body } = await read(address.pathname + address.search);
    expect(textOf(body)).toMatch(/via Kirche 08:06/);
    expect(body).toMatch(/name="viaName" value="Kirche"/);
    const [, swapped] = /<a class="button swap" href="([^"]+)"/.exec(body)!;
    expect(swapped).toContain('viaName=Kirche');
    expect((await read('/trips?from=at%3Aa&to=at%3Ax&via2=at%3Ak')).headers.location).toContain(
      'via=at%3Ak&viaName=Kirche',
    );
    const lost = await read('/trips?fromName=anger&toName=hof&viaName=xyzzy');
    expect(textOf(lost.body)).toContain('We found nothing for “xyzzy”.');
  });

  test('offer the modes that the service plans, and take a location for a name', async () => {
    const modes = ['walk', 'bike'] as const;
    const app = await openTown({ overrides: { site: { ...site, listTripModes: () => modes, pushKey: 'BPk' } } });
    const { body } = await app.inject({ url: '/trips?mode=bike', headers: english });
    expect(body).toContain('data-modes="walk bike" data-push-key="BPk"');
    expect(body.match(/<option value="\w+"( selected)?>/g)).toEqual([
      '<option value="departure">',
      '<option value="arrival">',
      '<option value="walk">',
      '<option value="bike" selected>',
    ]);
    expect((await (await openTown()).inject({ url: '/trips', headers: english })).body).not.toContain('name="mode"');
    const sent = await app.inject({
      url: '/trips?fromName=Location+48.001,+16.001&toName=Kirche&mode=bike',
      headers: english,
    });
    const address = new URL(String(sent.headers.location), 'http://x');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      from: '48.001,16.001',
      to: 'at:k',
      toName: 'Kirche',
      mode: 'bike',
    });
    const found = await app.inject({ url: address.pathname + address.search, headers: english });
    expect(textOf(found.body)).toContain('This service cannot plan routes by bicycle or car.');
    expect(found.body).toContain('value="Location 48.001, 16.001"');
  });

  test('are shown with the names of stops, also if the link has only their ids', async () => {
    const app = await openTown();
    const read = (url: string) => app.inject({ url, headers: english });
    const sent = await read('/trips?from=at%3Aa&to=at%3Ak&wheelchair=true&lang=en');
    expect([sent.statusCode, sent.headers.location]).toEqual([
      303,
      '/trips?from=at%3Aa&to=at%3Ak&wheelchair=true&lang=en&fromName=Anger&toName=Kirche',
    ]);
    expect((await read('/trips?from=at%3Aa')).headers.location).toBe('/trips?from=at%3Aa&fromName=Anger');
    expect((await read('/trips?from=48.001%2C16.001&to=at%3Ak')).headers.location).toBe(
      '/trips?from=48.001%2C16.001&to=at%3Ak&toName=Kirche',
    );
    const partlyKnown = await read('/trips?from=at%3Aa&fromName=Anger&to=nowhere');
    expect(partlyKnown.statusCode).toBe(200);
    expect(textOf(partlyKnown.body)).toContain('This stop is not in the timetable.');
  });

  test('are shown with the name that they have for an address or a place', () => {
    const query = new URLSearchParams({ from: 'at:a', fromName: 'Anger', to: 'place:n1' });
    const legs = [{ origin: { name: 'Anger' }, destination: { name: 'Schloss' } }];
    const value = { trips: [{ legs }] };
    const answer = { isOk: true, value, text: '', date: '' } as const;
    const answers = new Map([[tripsPath(readState(query))!, answer]]);
    const request = { query, answers } as unknown as PageRequest;
    expect(findTripsAddress(request)).toBe('/trips?from=at%3Aa&fromName=Anger&to=place%3An1&toName=Schloss');
    expect(findTripsAddress({ ...request, answers: new Map() })).toBeNull();
  });

  test('say if the accessibility of a part is unknown', async () => {
    const app = await openTown();
    const url = '/trips?from=at%3Aa&fromName=Anger&to=at%3Ak&toName=Kirche&wheelchair=true';
    const { body } = await app.inject({ url, headers: english });
    expect(textOf(body)).toContain(tripsTexts.en.trip.unknownAccess);
  });

  test('name what was not found', async () => {
    const app = await openTown();
    const { statusCode, body } = await app.inject({ url: '/trips?fromName=Anger&toName=xyzzy', headers: english });
    expect(statusCode).toBe(200);
    expect(textOf(body)).toContain('We found nothing for “xyzzy”.');
    expect(body).toContain('value="Anger"');
  });

  test('explain a failure in words for riders, without the text of the problem', async () => {
    const planning: Planning = {
      answer: async () => {
        throw new ApiProblem('overloaded', 'The queue of planner threads is full.');
      },
    } as unknown as Planning;
    const app = await openTown({ planning });
    const url = '/trips?from=at%3Aa&fromName=Anger&to=at%3Ak&toName=Kirche';
    const { statusCode, body } = await app.inject({ url, headers: english });
    expect(statusCode).toBe(200);
    expect(textOf(body)).toContain('The service is very busy right now.');
    expect(body).not.toContain('queue of planner');
    expect(body).not.toContain('data-answer-of');
  });
});

describe('cancellations without a script', () => {
  const cancelled = { fullyCancelled: true, partiallyCancelled: false };
  const runs = { fullyCancelled: false, partiallyCancelled: false };
  const stop = { id: 'at:s', name: 'Bahnhof', platform: { changed: false }, cancellation: runs };

  test('are named at the calls of a trip', () => {
    const [origin, destination] = [stop, { ...stop, name: 'Kirche', cancellation: cancelled }];
    const ride = { mode: 'transit', origin, destination, intermediateStops: [], attributes: [], cancellation: runs };
    const { markup } = serverLegs([{ leg: ride, minutes: 6, transfer: null }] as never, 'en');
    expect(textOf(markup)).toMatch(/Kirche\s+does not stop/);
    expect(textOf(markup)).not.toMatch(/Bahnhof\s+does not stop/);
  });

  test.each([
    [{ fullyCancelled: true, partiallyCancelled: false, note: 'Strike.' }, 'This journey is cancelled. Strike.'],
    [{ fullyCancelled: false, partiallyCancelled: true }, 'Parts of this journey are cancelled.'],
  ])('%j is named above a journey', (cancellation, text) => {
    const journey = { line: { label: '1', product: 'tram' }, direction: 'Kirche', stops: [], cancellation };
    const answers = new Map([['/site/data/journeys/r', { isOk: true, value: { journey }, text: '', date: '' }]]);
    const { markup } = serverJourney({ params: { ref: 'r' }, answers, language: 'en' } as never);
    expect(textOf(markup)).toContain(text);
  });
});

test('a journey has its calls without a script; an unknown one leads to the search', async () => {
  const app = await openTown();
  const board = (await app.inject({ url: '/site/data/stops/at%3As/departures' })).json();
  const [{ journeyRef }] = board.departures;
  const { body } = await app.inject({ url: `/journeys/${journeyRef}`, headers: english });
  expect(body.match(/<li class="call">/g)!.length).toBeGreaterThan(1);
  const lost = await app.inject({ url: '/journeys/none', headers: english });
  expect(lost.statusCode).toBe(404);
  expect(textOf(lost.body)).toContain('This link does not lead to a journey.');
  expect(lost.body).toContain('href="/stops">Find departures');
});

test('no text of the data ends its block', async () => {
  const app = await openTown();
  const { body } = await app.inject({ url: '/stops?query=%3C%2Fscript%3E', headers: english });
  expect(body).not.toContain('</script>"');
  expect(body).toContain('data-answer-of="/site/data/stops?query=%3C%2Fscript%3E');
});

describe('lines', () => {
  test('are listed by kind of vehicle until a name is searched', async () => {
    const app = await openTown();
    const { body } = await app.inject({ url: '/lines', headers: english });
    expect(textOf(body)).toMatch(/Suburban trains S5 .*Trams 2 .*(City|Regional) buses 1 3 4/);
    const [, line] = /<a href="(\/lines\/[^"]+)"/.exec(body)!;
    expect((await app.inject({ url: line!, headers: english })).statusCode).toBe(200);
    expect((await app.inject({ url: '/lines?query=2', headers: english })).body).not.toContain('line-overview');
  });

  test('are found by label, trains by number, and lead to their timetable and journey', async () => {
    const app = await openTown();
    const { body } = await app.inject({ url: '/lines?query=2', headers: english });
    expect(textOf(body)).toMatch(
      /Lines .* 2 .* Trains .* TR 2 Bahnhof 08:18 → Ziel 08:40 next journey: Tuesday, March 3/,
    );
    const [, line] = /<a href="(\/lines\/[^"]+)"/.exec(body)!;
    const [, journey] = /<a href="(\/journeys\/[^"]+)"/.exec(body)!;
    for (const url of [line!, journey!]) expect((await app.inject({ url, headers: english })).statusCode).toBe(200);
    const none = await app.inject({ url: '/lines?query=xyzzy', headers: english });
    expect(textOf(none.body)).toContain('No line or train is called “xyzzy”.');
  });

  test('have a grid of the current part of the day, of another one, and of the whole day', async () => {
    const app = await openTown();
    const open = async (query: string) => (await app.inject({ url: `/lines/at%3Ar2${query}`, headers: english })).body;
    const body = await open('');
    expect(body).toContain('<title>Timetable of line 2 · Taktgeber</title>');
    expect(body).toContain('<option value="8" selected>');
    expect(textOf(body)).toMatch(/Bahnhof → Ziel .* Bahnhof 08:18 09:00 Ziel 08:40 09:22/);
    expect(textOf(await open('?hours=16'))).toContain('No journey begins in this period.');
    expect(await open('?hours=day&date=2026-03-04')).toContain('<option value="day" selected>');
    expect(await open('?hours=x&date=2026-02-31')).toContain('<option value="8" selected>');
  });

  test('have the next part of the day with runs if none begin in the current one', async () => {
    const night = await openTown({ now: '01:00' });
    const { body } = await night.inject({ url: '/lines/at%3Ar2', headers: english });
    expect(body).toContain('<option value="8" selected>');
    const chosen = await night.inject({ url: '/lines/at%3Ar2?hours=0', headers: english });
    expect(textOf(chosen.body)).toContain('No journey begins in this period.');
  });

  test('that are gone have a page that offers the search', async () => {
    const app = await openTown();
    const { statusCode, body } = await app.inject({ url: '/lines/none', headers: english });
    expect(statusCode).toBe(404);
    expect(textOf(body)).toContain('This line is no longer in the timetable.');
    expect(body).toContain('action="/lines"');
  });
});
