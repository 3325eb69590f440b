import { describe, expect, it } from 'vitest';
import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import { type FakeAnswer, fakeSource, instantAt, START_INSTANT, virtualWorld } from './virtual-world.ts';

/** `12 main`: seconds since the start, and the request. */
const describeRequested = (requested: readonly { at: number; part: string }[]) =>
  requested.map(({ at, part }) => `${at} ${part}`);

const well = (): FakeAnswer => ({});

describe('a healthy source', () => {
  it('is requested at the interval of each request', async () => {
    const world = virtualWorld(well);
    void world.start([fakeSource('a', { parts: { trips: 30, alerts: 60 } })]);
    await world.run(70);
    expect(describeRequested(world.requested)).toEqual(['0 trips', '0 alerts', '30 trips', '60 trips', '60 alerts']);
    expect(world.requested[0]!.headers).toEqual({ 'x-key': 'secret' });
  });

  it('has its pause between any two requests', async () => {
    const world = virtualWorld(well);
    void world.start([fakeSource('a', { parts: { one: 20, two: 20, three: 300 }, minGapSeconds: 15 })]);
    await world.run(80);
    expect(describeRequested(world.requested)).toEqual(['0 one', '15 two', '30 three', '45 one', '60 two', '75 one']);
  });

  it('passes on its responses after storing them', async () => {
    const world = virtualWorld(() => ({ body: { recordCount: 7 }, headers: { etag: '"1"' }, afterSeconds: 0.5 }));
    void world.start([fakeSource('a')]);
    await world.run(1);
    expect(world.stored).toMatchObject([
      {
        source: 'a',
        part: 'main',
        fetchedAt: START_INSTANT,
        extension: 'json',
        facts: { url: 'https://a.example/main', status: 200, durationMilliseconds: 500, etag: '"1"' },
      },
    ]);
    expect(Buffer.from(world.stored[0]!.bytes!).toString()).toBe('{"recordCount":7}');
    expect(world.applied).toMatchObject([{ sourceId: 'a', rawId: 'raw-1', update: { recordCount: 7 } }]);
    expect(world.state('a')).toMatchObject({
      lastSuccessAt: START_INSTANT,
      lastAttemptAt: START_INSTANT,
      trouble: null,
      requestedParts: ['main'],
      attempts: { applied: 1 },
    });
  });

  it('reports where its requests are redirected, once, until it is corrected', async () => {
    const to = 'https://a.example/hamm/gate';
    const world = virtualWorld((_, count) => (count < 3 ? { redirectedTo: to } : {}));
    void world.start([fakeSource('a', { redirectHosts: ['a.example'] }), fakeSource('b')]);
    await world.run(1);
    expect(world.state('a')).toMatchObject({ redirectedTo: to, trouble: null });
    expect(world.state('b')).not.toHaveProperty('redirectedTo');
    await world.run(31);
    expect(world.logged().split('redirected to')).toHaveLength(2);
    expect(world.logged()).toContain(`a: requests are redirected to ${to}; set its endpoint to that address`);
    await world.run(91);
    expect(world.state('a')).not.toHaveProperty('redirectedTo');
  });

  it('is recorded with its requests, without keys', async () => {
    const world = virtualWorld(well);
    const wienerLinien = fakeSource('a');
    const [request] = wienerLinien.source.listRequests(START_INSTANT);
    const url = 'https://me:secret@a.example/monitor?diva=60201040&sender=secret&diva=60200014';
    const source = { ...wienerLinien.source, listRequests: () => [{ ...request!, url }] };
    void world.start([{ ...wienerLinien, source }]);
    await world.run(1);
    expect(world.stored[0]!.facts.url).toBe('https://a.example/monitor?diva=60201040&diva=60200014');
  });

  it('leaves nothing behind if its licence forbids it', async () => {
    const world = virtualWorld(well);
    void world.start([fakeSource('a', { archive: 'none' })]);
    await world.run(1);
    expect([world.stored, world.applied[0]!.rawId]).toEqual([[], null]);
  });

  it('is requested conditionally, and a 304 is a success', async () => {
    const world = virtualWorld(({ headers }) => {
      const isKnown = headers['if-none-match'] === '"1"' && headers['if-modified-since'] === 'Monday';
      return isKnown ? { status: 304 } : { headers: { etag: '"1"', 'last-modified': 'Monday' } };
    });
    void world.start([fakeSource('a', { maxAgeSeconds: 60 })]);
    await world.run(95);
    // At 90 the last response is older than 60 s: the request is unconditional, so that a stalled feed shows.
    expect(world.requested.map(({ headers }) => 'if-none-match' in headers)).toEqual([false, true, true, false]);
    expect(world.confirmed.map(({ fetchedAt }) => fetchedAt - START_INSTANT)).toEqual([30, 60]);
    expect(world.applied).toHaveLength(2);
    // A replay of the day must know until when a response was valid.
    expect(world.stored.map(({ bytes, facts }) => [bytes === null, facts.status])).toEqual([
      [false, 200],
      [true, 304],
      [true, 304],
      [false, 200],
    ]);
    expect(world.state('a')).toMatchObject({ lastSuccessAt: instantAt(90), attempts: { applied: 2, unchanged: 2 } });
  });

  it('is requested unconditionally when its header grows old, however recent the response', async () => {
    const publishedAt = instantAt(-20);
    const world = virtualWorld((_, count) =>
      count === 1 ? { status: 304 } : { headers: { etag: '"1"' }, body: { publishedAt } },
    );
    void world.start([fakeSource('a', { maxAgeSeconds: 60 })]);
    await world.run(65);
    expect(world.requested.map(({ headers }) => 'if-none-match' in headers)).toEqual([false, true, false]);
  });
});

describe('a failed attempt costs only that attempt, and is counted', () => {
  const cases: readonly [title: string, answer: FakeAnswer, trouble: string, isStored: boolean][] = [
    ['it hangs', { afterSeconds: 999 }, 'http_timeout', false],
    ['it trickles longer than allowed', { afterSeconds: 11 }, 'http_timeout', false],
    ['503', { status: 503 }, 'http_503', false],
    ['404', { status: 404 }, 'http_404', false],
    ['a body cut off', { breaksWith: new ExternalError('http_cut_off', 'stopped') }, 'http_cut_off', false],
    ['a huge body', { body: 'x'.repeat(1001) }, 'http_too_large', false],
    ['a page of HTML', { body: '<html>' }, 'not_json', true],
    ['half a text', { body: '{"recordCount": ' }, 'not_json', true],
    ['304 to an unconditional request', { status: 304 }, 'unexpected_not_modified', false],
    ['a response on which our parser fails', { body: 'bug' }, 'bug', true],
  ];
  it.each(cases)('%s', async (_title, answer, trouble, isStored) => {
    const world = virtualWorld((_, count) => (count === 1 ? answer : {}));
    void world.start([fakeSource('a')]);
    await world.run(45);
    expect(world.state('a')).toMatchObject({ trouble, lastSuccessAt: START_INSTANT, attempts: { [trouble]: 1 } });
    expect(world.stored).toHaveLength(isStored ? 2 : 1);
    expect(world.applied).toHaveLength(1);
    expect(world.logged()).toContain(`a: main failed, ${trouble}: `);
    expect(world.logged()).not.toContain('secret');
    await world.run(75);
    expect(world.state('a')).toMatchObject({ trouble: null, attempts: { applied: 2 } });
    expect(world.logged()).toContain('a: main has recovered');
  });

  it('is logged once, however often it repeats', async () => {
    const world = virtualWorld(() => ({ status: 500 }));
    void world.start([fakeSource('a')]);
    await world.run(1000);
    expect(world.logged().match(/warning/g)).toHaveLength(1);
  });

  it('and a response that cannot be stored is not used', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' });
    const world = virtualWorld(well, { storeRaw: () => Promise.reject(full) });
    void world.start([fakeSource('a'), fakeSource('b', { archive: 'none' })]);
    await world.run(1);
    expect(world.state('a').trouble).toBe('disk_failed');
    expect(world.applied.map(({ sourceId }) => sourceId)).toEqual(['b']);
  });
});

describe('waits', () => {
  it('grow with consecutive failures, and end with the first success', async () => {
    const world = virtualWorld((_, count) => ({ status: count < 2 ? 500 : 200 }));
    void world.start([fakeSource('a')]);
    await world.run(130);
    expect(world.requested.map(({ at }) => at)).toEqual([0, 30, 90, 120]);
  });

  it('are per request: one that always fails does not delay the others', async () => {
    const world = virtualWorld(({ part }) => ({ status: part === 'gone' ? 404 : 200 }));
    void world.start([fakeSource('a', { parts: { gone: 30, here: 30 } })]);
    await world.run(240);
    expect(world.requested.filter(({ part }) => part === 'gone').map(({ at }) => at)).toEqual([0, 30, 90, 210]);
    expect(world.requested.filter(({ part }) => part === 'here')).toHaveLength(9);
    expect(world.state('a')).toMatchObject({ trouble: 'http_404', lastSuccessAt: instantAt(240) });
  });

  const retryAfter: readonly [status: number, header: string, next: number][] = [
    [503, '100', 100],
    [429, 'Mon, 02 Mar 2026 07:03:20 GMT', 200],
    [503, 'soon', 30],
    [503, '5', 30],
  ];
  it.each(retryAfter)('%i with Retry-After: %s', async (status, header, next) => {
    const world = virtualWorld((_, count) => (count === 0 ? { status, headers: { 'retry-after': header } } : {}));
    void world.start([fakeSource('a', { parts: { one: 30 } })]);
    await world.run(220);
    expect(world.requested[1]!.at).toBe(next);
  });

  it('of a publisher apply to all requests to it', async () => {
    const world = virtualWorld(() => ({ status: 429, headers: { 'retry-after': '90' } }));
    void world.start([fakeSource('a', { parts: { one: 30, two: 30 } })]);
    await world.run(100);
    expect(describeRequested(world.requested)).toEqual(['0 one', '90 two']);
  });
});

describe('the circuit', () => {
  it('opens after consecutive failures, tries one request, and closes when it succeeds', async () => {
    const world = virtualWorld(({ at }) => ({ status: at < 200 ? 500 : 200 }));
    void world.start([fakeSource('a', { parts: { one: 60, two: 60, three: 60 } })]);
    await world.run(1);
    // The cause, beside the open circuit.
    expect(world.state('a')).toMatchObject({ trouble: 'http_500', troubleSince: instantAt(0), isCircuitOpen: true });
    await world.run(119);
    expect(describeRequested(world.requested)).toEqual(['0 one', '0 two', '0 three']);
    await world.run(125);
    expect(describeRequested(world.requested.slice(3))).toEqual(['120 one']);
    expect(world.state('a')).toMatchObject({ trouble: 'http_500', troubleSince: instantAt(0), isCircuitOpen: true });
    await world.run(245);
    // The trial at 240 succeeds: other requests of the source follow immediately.
    expect(describeRequested(world.requested.slice(4))).toEqual(['240 two', '240 three', '240 one']);
    expect(world.state('a')).toMatchObject({
      trouble: null,
      troubleSince: null,
      isCircuitOpen: false,
      attempts: { http_500: 4, applied: 3 },
    });
  });
});

describe('several sources', () => {
  it('one that hangs, one with wrong data, one that is healthy: each continues at its own pace', async () => {
    const answers: Readonly<Record<string, FakeAnswer>> = { hangs: { afterSeconds: 999 }, lies: { body: '<html>' } };
    const world = virtualWorld(({ source }) => answers[source] ?? {});
    void world.start([fakeSource('hangs'), fakeSource('lies'), fakeSource('well')]);
    await world.run(300);
    const times = world.requested.filter(({ source }) => source === 'well').map(({ at }) => at);
    expect(times).toEqual([0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300]);
    expect(world.applied.every(({ sourceId }) => sourceId === 'well')).toBe(true);
  });

  it('a sink that fails on one response costs only that response', async () => {
    const world = virtualWorld(well);
    const apply = world.sink.apply;
    world.sink.apply = async (answer) => {
      if (answer.sourceId === 'a') throw new TypeError('cannot be matched');
      return apply(answer);
    };
    void world.start([fakeSource('a'), fakeSource('b')]);
    await world.run(1);
    expect([world.state('a').trouble, world.state('b').trouble]).toEqual(['bug', null]);
  });

  it('never pass on two responses at once', async () => {
    const world = virtualWorld(well);
    let inHand = 0;
    world.sink.apply = async () => {
      expect(++inHand).toBe(1);
      await world.effects.sleep(400);
      inHand--;
    };
    world.sink.publish = async () => expect(inHand).toBe(0);
    void world.start([fakeSource('a'), fakeSource('b'), fakeSource('c')]);
    await world.run(100);
    expect(world.requested).toHaveLength(12);
  });
});

describe('publishing', () => {
  it('follows the responses, at most once a second', async () => {
    const world = virtualWorld(({ source }) => ({ afterSeconds: { a: 0, b: 0.3, c: 0.6 }[source] ?? 0 }));
    void world.start([fakeSource('a'), fakeSource('b'), fakeSource('c')]);
    await world.run(20);
    expect(world.published.map(({ at }) => at)).toEqual([0, 1]);
    expect(world.published[0]!.states.map(({ attempts }) => attempts)).toEqual([{ applied: 1 }, {}, {}]);
    expect(world.state('c').lastSuccessAt).toBe(START_INSTANT);
  });

  it('that fails ends all polling, with its reason', async () => {
    const world = virtualWorld(well);
    world.sink.publish = () => Promise.reject(new ExternalError('disk_full', 'no space'));
    const polling = world.start([fakeSource('a'), fakeSource('b')]);
    const end = expect(polling).rejects.toMatchObject({ code: 'disk_full' });
    await world.run(1);
    await end;
    await world.run(100);
    expect(world.requested).toHaveLength(2);
  });
});

describe('polling ends', () => {
  it('on the signal, aborting the current request and sending no other', async () => {
    const world = virtualWorld(({ source }) => (source === 'slow' ? { afterSeconds: 9 } : {}));
    const polling = world.start([fakeSource('slow'), fakeSource('a')]);
    await world.run(2);
    world.stop();
    const states = await polling;
    expect(states.map(({ id, attempts }) => [id, attempts])).toEqual([
      ['slow', {}],
      ['a', { applied: 1 }],
    ]);
    await world.run(100);
    expect(world.requested).toHaveLength(2);
  });

  it('immediately if the signal was already set', async () => {
    const world = virtualWorld(well);
    world.stop();
    expect(await world.start([fakeSource('a')])).toEqual([]);
    expect(world.requested).toEqual([]);
  });

  it('after a number of rounds: every request once, whatever its result', async () => {
    const world = virtualWorld(({ part }) => ({ status: part === 'two' ? 500 : 200 }));
    const parts = { one: 30, two: 30, three: 30 };
    const polling = world.start(
      [
        fakeSource('a', { parts, minGapSeconds: 15 }),
        fakeSource('paused', { isStandby: true }),
        fakeSource('spent', { dailyBudget: 1 }),
      ],
      { rounds: 1 },
    );
    world.budget.spend = async () => 'budget_spent';
    await world.run(1000);
    const states = await polling;
    expect(describeRequested(world.requested)).toEqual(['0 one', '15 two', '30 three']);
    expect(states.map(({ id, trouble, isStandby }) => [id, trouble, isStandby])).toEqual([
      ['a', 'http_500', false],
      ['paused', null, true],
      ['spent', 'budget_spent', false],
    ]);
    expect(world.published.at(-1)!.states).toEqual(states);
  });

  it('early in a round that a publisher aborts', async () => {
    const world = virtualWorld(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const polling = world.start([fakeSource('a', { parts: { one: 30, two: 30 } })], { rounds: 1 });
    await world.run(1000);
    await polling;
    expect(describeRequested(world.requested)).toEqual(['0 one']);
  });
});

describe('a restarted poller', () => {
  const [successAt, troubleAt] = [instantAt(-500), instantAt(-400)];
  const earlier = new Map([[toSourceId('a'), { lastSuccessAt: successAt * 1000, troubleSince: troubleAt * 1000 }]]);

  it('keeps the last success and the start of a failure that continues', async () => {
    const world = virtualWorld(() => ({ status: 500 }));
    void world.start([fakeSource('a')], { earlier });
    await world.run(100);
    expect(world.state('a')).toMatchObject({ trouble: 'http_500', lastSuccessAt: successAt, troubleSince: troubleAt });
  });

  it('drops a failure that has ended', async () => {
    const world = virtualWorld(() => ({}));
    void world.start([fakeSource('a')], { earlier });
    await world.run(10);
    expect(world.state('a')).toMatchObject({ trouble: null, lastSuccessAt: START_INSTANT, troubleSince: null });
  });
});
