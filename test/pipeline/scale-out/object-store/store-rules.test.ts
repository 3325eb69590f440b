import { describe, expect, it } from 'vitest';
import { readProjectFile } from '../../../../pipeline/effects/project-files.ts';
import {
  findPlace,
  isOfTree,
  localStores,
  rankOf,
  storeNames,
} from '../../../../pipeline/scale-out/object-store/store-rules.ts';

const sha = 'a'.repeat(64);

/** A file of each store, and its tree. */
const places: readonly [string, string, string][] = [
  ['format.json', 'format', 'format'],
  ['lake/raw/source=wien/fetch_date=2026-01-15/0123abcd.zip', 'raw', 'raw/wien/2026-01-15'],
  ['lake/raw/source=wien/fetch_date=2026-01-15/0123abcd.json', 'raw', 'raw/wien/2026-01-15'],
  ['lake/raw/source=wl/fetch_date=2026-01-15/101530-monitor-3-1a2b3c4d.json.gz', 'raw answers', 'raw/wl/2026-01-15-10'],
  ['lake/raw/source=wl/fetch_date=2026-01-15/answers-0123abcd.ndjson', 'index of raw answers', 'raw/wl/2026-01-15'],
  ['lake/raw/source=wl/fetch_date=2026-01-15/answers.ndjson', 'index of raw answers', 'raw/wl/2026-01-15'],
  ['lake/gtfs/stops/source=wien/feed_version=0a1b/part-0.parquet', 'as published', 'timetables/wien'],
  ['lake/timetable/refused/source=wien/feed_version=0a1b/part-0.parquet', 'typed', 'timetables/wien'],
  ['lake/manifests/timetable/source=wien/feed_version=0a1b.json', 'manifest', 'timetables/wien'],
  ['lake/manifests/timetable/source=wien/publications.json', 'publications', 'timetables/wien'],
  ['lake/observations/source=wl/service_date=2026-01-15/part-0.parquet', 'observations', 'days/wl/2026-01'],
  ['lake/predictions/source=wl/service_date=2026-01-15/1768-a.parquet', 'predictions', 'days/wl/2026-01'],
  ['lake/stop_events/source=wl/service_date=2026-01-15/part-0.parquet', 'stop events', 'days/wl/2026-01'],
  ['lake/manifests/stop_events/source=wl/service_date=2026-01-15.json', 'stop events', 'days/wl/2026-01'],
  ['lake/manifests/prediction_days/source=wl/service_date=2026-01-15.json', 'prediction metrics', 'days/wl/2026-01'],
  ['lake/manifests/imports/source=ch/2025-07-01 (1).csv.gz.json', 'imports', 'imports/ch'],
  ['marts/line_daily/month=2026-01/part-0.parquet', 'marts', 'marts'],
  ['marts/manifest.json', 'marts', 'marts'],
  ['lake/prediction_features/source=wl/part-0.parquet', 'features', 'learning/wl'],
  ['lake/manifests/prediction_features/source=wl.json', 'features', 'learning/wl'],
  ['lake/prediction_models/source=wl/2026-01-15-0a1b/model.bin', 'models', 'learning/wl'],
  ['lake/prediction_models/source=wl/current.json', 'models', 'learning/wl'],
  ['lake/manifests/sources.json', 'credits', 'lake'],
  ['lake/README.md', 'guide', 'lake'],
  ['lake/catalog.sql', 'guide', 'lake'],
  ['announcements.yaml', 'announcements', 'announcements'],
  ['streets/0a1b/tiles.tar', 'streets', 'streets'],
  ['streets/current.json', 'streets', 'streets'],
  ['snapshots/places/0a1b/place_houses.arrow', 'places', 'snapshots/places'],
  ['snapshots/timetable/0a1b/stop_times.arrow', 'snapshots', 'snapshots/timetable'],
  ['snapshots/timetable/checked.json', 'snapshots', 'snapshots/timetable'],
  ['snapshots/history/0a1b/line_daily/month=2026-01/part-0.parquet', 'history snapshots', 'snapshots/history'],
  ['snapshots/predictions/current.json', 'snapshots of these metrics', 'snapshots/predictions'],
  ['network-maps/0a1b/wien-0a1b.svg', 'network maps', 'network-maps'],
  ['snapshots/realtime/mk3x2-0a1b2c3d.rt', 'realtime snapshots', 'snapshots/realtime'],
  ['snapshots/realtime/current.json', 'realtime snapshots', 'snapshots/realtime'],
  [
    `iceberg/lake/stop_events/data/source=wl/service_date=2026-01-15/${sha}.parquet`,
    'Iceberg tables',
    'iceberg/lake/stop_events',
  ],
];

const local = [
  'tmp/0a1b2c3d-17-1-0123456789ab/file',
  'locks/timetable.lock',
  'operations/operations.sqlite',
  'watches/watches.sqlite-wal',
  'secrets/vapid-key',
  'state/observations/source=wl/1.journal',
  'state/deletions/days.json',
  'state/alerts/states.json',
  'realtime/budgets/wl.json',
  'realtime/demands/17.json',
  'restore.json',
  'replaced-2026/lake/raw/x',
  'iceberg/lake/stop_events/metadata/v1.metadata.json',
  'marts/manifest.json.0123456789ab.tmp',
  'snapshots/realtime/../../secrets/vapid-key',
  'marts/../secrets/vapid-key',
  'lake/new/file.parquet',
];

describe('the trees of the object store', () => {
  it.each(places)('have a place for %s', (path, store, tree) => {
    expect(findPlace(path)).toEqual({ store, tree });
    expect(isOfTree(path, tree)).toBe(true);
  });

  it.each(local)('have no place for %s', (path) => {
    expect(findPlace(path)).toBeNull();
  });

  it('every store of the lake is in them, or is listed with the reason for its absence', async () => {
    const document = await readProjectFile('docs/lake.md');
    const table = document.slice(document.indexOf('## Stores'));
    const documented = [...table.matchAll(/^\| ([^|-][^|]*?) \|/gm)].map(([, name = '']) => name);
    const known: readonly string[] = [...storeNames, ...Object.keys(localStores)];
    expect(documented.filter((name) => name !== 'Store' && !known.includes(name))).toEqual([]);
    const undocumented = storeNames.filter((name) => !documented.includes(name));
    // Parts of raw responses and Iceberg tables have rows with them.
    expect(undocumented).toEqual(['index of raw answers']);
    expect(storeNames.filter((name) => !places.some(([, store]) => store === name))).toEqual([]);
  });

  it('a file of one tree is not searched below folders of another', () => {
    expect(isOfTree('lake/stop_events/source=wl', 'days/wl/2026-01')).toBe(true);
    expect(isOfTree('lake/stop_events/source=vao', 'days/wl/2026-01')).toBe(false);
    expect(isOfTree('lake/stop_events/source=wl/service_date=2026-02-01', 'days/wl/2026-01')).toBe(false);
    expect(isOfTree('lake/raw/source=wl/fetch_date=2026-01-15', 'raw/wl/2026-01-15-10')).toBe(true);
    expect(isOfTree('lake/raw/source=wl/fetch_date=2026-01-16', 'raw/wl/2026-01-15-10')).toBe(false);
    expect(isOfTree('iceberg/lake', 'iceberg/lake/stop_events')).toBe(true);
    expect(isOfTree('iceberg/marts', 'iceberg/lake/stop_events')).toBe(false);
  });

  it('files that refer to others are published after them', () => {
    expect(rankOf('snapshots/timetable/current.json')).toBe('pointer');
    expect(rankOf('marts/manifest.json')).toBe('manifest');
    expect(rankOf('lake/manifests/stop_events/source=wl/service_date=2026-01-15.json')).toBe('manifest');
    expect(rankOf('marts/line_daily/month=2026-01/part-0.parquet')).toBe('data');
  });
});
