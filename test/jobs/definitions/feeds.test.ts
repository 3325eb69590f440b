import { expect, it } from 'vitest';
import { chooseFeeds, parseFeeds } from '../../../jobs/definitions/feeds.ts';
import { noOptions } from '../../../jobs/job/job.ts';
import type { Config } from '../../../pipeline/config/load-config.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';

const typed: readonly [typed: string, id: string, location: string][] = [
  ['feed.zip', 'feed', '/here/feed.zip'],
  ['feeds/Vienna U-Bahn.ZIP', 'vienna-u-bahn', '/here/feeds/Vienna U-Bahn.ZIP'],
  ['/data/folder/', 'folder', '/data/folder/'.replace(/\/$/, '')],
  ['wien=../a.zip', 'wien', '/a.zip'],
  ['https://example.org/gtfs/latest.zip?key=1', 'latest', 'https://example.org/gtfs/latest.zip?key=1'],
  ['oebb=https://example.org/x?a=b', 'oebb', 'https://example.org/x?a=b'],
  ['--leading.zip', 'leading', '/here/--leading.zip'],
];
it.each(typed)('--gtfs %s', (text, id, location) => {
  expect(parseFeeds([text], '/here')).toEqual([{ id, location, headers: {} }]);
});

const refused: readonly [typed: readonly string[], message: string][] = [
  [['a.zip', 'b/a.zip'], 'two feeds are called "a"'],
  [['WIEN=a.zip'], '"WIEN" cannot name a feed'],
  [['ÄÖ.zip'], 'cannot name a feed'],
];
it.each(refused)('--gtfs %j is rejected', (texts, message) => {
  expect(() => parseFeeds(texts, '/here')).toThrow(message);
});

const config = {
  mvo: { url: 'https://mvo.example/v1' },
  sources: [
    { id: toSourceId('a'), kind: 'gtfs', gtfs: '/a.zip', headers: { 'x-key': '1' }, fixes: [], zone: null },
    {
      id: toSourceId('b'),
      kind: 'mvo',
      dataSet: 66,
      headers: {},
      fixes: ['parent-ids'],
      zone: null,
      stopAfterValidity: true,
    },
  ],
} as unknown as Config;

it('feeds come from the command line, from the named sources, or from all of them', () => {
  const feeds = parseFeeds(['c.zip'], '/');
  expect(chooseFeeds(config, { ...noOptions, feeds })).toEqual(feeds);
  expect(chooseFeeds(config, { ...noOptions, sourceIds: [toSourceId('b')] }).map(({ id }) => id)).toEqual(['b']);
  expect(chooseFeeds(config, noOptions)).toEqual([
    { id: 'a', location: '/a.zip', headers: { 'x-key': '1' } },
    {
      id: 'b',
      location: 'https://mvo.example/v1/data-sets/66',
      headers: {},
      dataSet: 66,
      stopAfterValidity: true,
      repairs: { fixes: ['parent-ids'], zone: null },
    },
  ]);
});

it('a source that is not configured is rejected by name', () => {
  expect(() => chooseFeeds(config, { ...noOptions, sourceIds: [toSourceId('x')] })).toThrow(
    'there is no source "x"; configured: a, b',
  );
});
