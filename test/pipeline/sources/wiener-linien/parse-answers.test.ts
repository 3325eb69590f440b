import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../../../pipeline/effects/project-files.ts';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import { parseMonitorAnswer } from '../../../../pipeline/sources/wiener-linien/parse-monitor.ts';
import { parseNoticeAnswer } from '../../../../pipeline/sources/wiener-linien/parse-notices.ts';

const SOURCE = 'city_transit';
const encode = (text: string) => new TextEncoder().encode(text);

const parsers = {
  monitor: (bytes: Uint8Array) => parseMonitorAnswer(bytes, SOURCE),
  trafficInfoList: (bytes: Uint8Array) => parseNoticeAnswer(bytes, 'trafficInfos', SOURCE),
  newsList: (bytes: Uint8Array) => parseNoticeAnswer(bytes, 'pois', SOURCE),
};

const fixtureNames = {
  monitor: ['monitor-good', 'monitor-odd'],
  trafficInfoList: ['traffic-info-good', 'traffic-info-odd'],
  newsList: ['news-good', 'news-odd'],
};

function readFixture(name: string): Promise<Buffer> {
  return readFile(projectPath(`test/pipeline/sources/wiener-linien/fixtures/${name}.json`));
}

function codeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.code;
    throw error;
  }
  return 'was read';
}

const ok = '"message":{"value":"OK","messageCode":1}';

describe.each(Object.entries(parsers))('an invalid response of %s', (_endpoint, parse) => {
  it.each([
    ['nothing at all', '', 'truncated'],
    ['cut off', '{"data":{"monitors":[{"locationStop":{"type":', 'truncated'],
    ['a page', '\n<!DOCTYPE html><html><body>Wartung</body></html>', 'not_json'],
    ['a word', 'Service Unavailable', 'not_json'],
    ['other bytes', '\u0001\u0002PK', 'not_json'],
    ['another JSON document', '{"error":"none"}', 'foreign_format'],
    ['a list', '[]', 'foreign_format'],
    ['null', 'null', 'foreign_format'],
    ['another endpoint', `{"data":{"stops":[]},${ok}}`, 'foreign_format'],
    ['a rate limit', '{"message":{"value":"Abfragelimit erreicht","messageCode":316}}', 'upstream_error'],
    ['no data base', '{"data":{},"message":{"value":"DB nicht verf&uuml;gbar","messageCode":311}}', 'upstream_error'],
    ['no code', '{"data":{"monitors":[],"trafficInfos":[],"pois":[]},"message":{}}', 'upstream_error'],
  ])('%s', (_what, text, code) => {
    expect(codeOf(() => parse(encode(text)))).toBe(code);
  });

  it('a response of another endpoint', () => {
    const others = { monitor: 'trafficInfos', trafficInfoList: 'pois', newsList: 'monitors' };
    const list = others[_endpoint as keyof typeof others];
    expect(codeOf(() => parse(encode(`{"data":{"${list}":[]},${ok}}`)))).toBe('foreign_format');
  });
});

it("has the publisher's message, truncated", () => {
  const answer = encode(`{"message":{"value":"${'Abfragelimit '.repeat(100)}","messageCode":"316"}}`);
  expect(() => parsers.monitor(answer)).toThrow(/^messageCode 316: (Abfragelimit ){15}/);
  expect(() => parsers.monitor(answer)).not.toThrow(/(Abfragelimit ){17}/);
});

it('takes a list without a message, but no monitor without one', () => {
  const lists = '{"data":{"trafficInfos":[{"name":"I1","title":"49A"}],"pois":[{"name":"P1"}],"monitors":[]}}';
  expect(parsers.trafficInfoList(encode(lists)).notices.map(({ id }) => id)).toEqual(['I1']);
  expect(parsers.newsList(encode(lists)).notices.map(({ id }) => id)).toEqual(['P1']);
  expect(codeOf(() => parsers.monitor(encode(lists)))).toBe('foreign_format');
});

describe('accepts an empty answer', () => {
  it.each([
    ['monitor', `{"data":{"monitors":[]},${ok}}`],
    ['monitor', `\uFEFF {"data":{"monitors":[]},"message":{"messageCode":"1"}}`],
    ['trafficInfoList', `{"data":{"trafficInfos":[]},${ok}}`],
    ['trafficInfoList', `{"data":{},${ok}}`],
    ['newsList', `{${ok}}`],
  ] as const)('%s %s', (endpoint, text) => {
    expect(parsers[endpoint](encode(text))).toMatchObject({ notices: [], recordCount: 0, problems: [] });
  });
});

describe('fixtures', () => {
  it.each([
    ['monitor', 'monitor-good', 7, {}],
    ['monitor', 'monitor-odd', 14, { not_an_object: 3, monitor_without_stop: 1 }],
    ['trafficInfoList', 'traffic-info-good', 5, {}],
    ['trafficInfoList', 'traffic-info-odd', 5, { notice_without_id: 2 }],
    ['newsList', 'news-good', 2, {}],
    ['newsList', 'news-odd', 2, { notice_without_id: 1 }],
  ] as const)('%s %s', async (endpoint, name, recordCount, problems) => {
    const answer = parsers[endpoint](await readFixture(name));
    const counts: Record<string, number> = {};
    for (const { code } of answer.problems) counts[code] = (counts[code] ?? 0) + 1;
    expect({ recordCount: answer.recordCount, problems: counts }).toEqual({ recordCount, problems });
  });

  it('have problems with positions', async () => {
    const { problems } = parsers.monitor(await readFixture('monitor-odd'));
    expect(problems.map(({ place, source }) => `${source} ${place}`)).toEqual([
      'city_transit monitors[0]',
      'city_transit monitors[1]',
      'city_transit monitors[3].lines[0]',
      'city_transit monitors[5].lines[0].departure[0]',
    ]);
  });

  it('accepts a single departure in place of a list', async () => {
    const { lines } = parsers.monitor(await readFixture('monitor-odd'));
    expect(lines[0]).toMatchObject({
      line: { name: '5' },
      departures: [{ place: 'monitors[2].lines[0].departure[0]' }],
    });
  });
});

describe('accepts arbitrary values', () => {
  const values = fc.constantFrom<unknown>(null, [], {}, '', 'x', 0, -1, 2 ** 60, true, [null], [[]], { name: {} });

  it.each(Object.entries(fixtureNames).flatMap(([endpoint, names]) => names.map((name) => [endpoint, name] as const)))(
    '%s %s is read or rejected by name',
    async (endpoint, name) => {
      const text = (await readFixture(name)).toString('utf8');
      const parse = parsers[endpoint as keyof typeof parsers];
      fc.assert(
        fc.property(fc.nat(), values, (spot, value) => {
          let position = 0;
          const count = listPlaces(JSON.parse(text));
          const changed = JSON.parse(text, (_key, old) => (position++ === spot % count ? value : old));
          expect(codeOf(() => parse(encode(JSON.stringify(changed) ?? '')))).toMatch(/^[a-z_]+$|^was read$/);
        }),
      );
    },
  );

  it('rejects a response truncated at any byte', async () => {
    const bytes = await readFixture('monitor-good');
    for (let end = 0; end < bytes.length - 2; end += 37) {
      expect(codeOf(() => parsers.monitor(bytes.subarray(0, end)))).toBe('truncated');
    }
  });
});

/** The number of positions in a value that could have another value. */
function listPlaces(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((count: number, member) => count + listPlaces(member), 1);
}
