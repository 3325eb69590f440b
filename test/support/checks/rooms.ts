/** A folder of the project with the rooms that it may import. ARCHITECTURE.md describes them in prose. */
export interface Room {
  /** Folder; a file belongs to the room with the longest path. */
  readonly path: string;
  /** What belongs there, for those who look for the place of a file. */
  readonly holds: string;
  /** Rooms without the rooms inside them, or single files; `pipeline/` is everything below. Adding to it is a decision. */
  readonly mayImport: readonly string[];
  /** Same input, same output: no disk, network, clock or environment. */
  readonly isPure?: boolean;
}

const basics = ['pipeline/model', 'pipeline/effects'];

/** All that the API may import of the pipeline; `api/history` loads Trino besides, where it is configured. */
const apiBasics = [...basics, 'pipeline/snapshots', 'pipeline/streets', 'pipeline/metrics'];

/** From the ground up: a room imports only from rooms above it in this list. */
export const rooms: readonly Room[] = [
  {
    path: 'pipeline/model',
    holds: 'domain types: ids, service time, names, distances, reports',
    mayImport: [],
    isPure: true,
  },
  {
    path: 'pipeline/effects',
    holds: 'side effects behind small interfaces: clock, files, http, DuckDB, SQL stores, Arrow files, log, threads',
    mayImport: ['pipeline/model'],
  },
  {
    path: 'pipeline/effects/sql-dialects',
    holds: 'differences between the SQL of DuckDB and Trino: one table of functions, and SQL files for both',
    mayImport: [],
    isPure: true,
  },
  {
    path: 'pipeline/scale-out/trino',
    holds: 'statements on Trino over its REST protocol: values, time limits, errors; independent of our tables',
    mayImport: basics,
  },
  {
    path: 'pipeline/sources',
    holds:
      'one folder per kind of source: its definition (options, areas, archive), its grammar, from raw records to the shape of `model/realtime.ts`, requests as values, fixes for publishers; `registry` lists the kinds',
    mayImport: ['pipeline/model'],
    isPure: true,
  },
  {
    path: 'pipeline/config',
    holds: 'the table of settings, the lists `sources` and `realtime`; file and environment become one frozen object',
    mayImport: [...basics, 'pipeline/sources'],
  },
  {
    path: 'pipeline/metrics',
    holds: 'metrics of a process, in one table with bounded series, and the address where they are scraped',
    mayImport: basics,
  },
  {
    path: 'pipeline/lake',
    holds: 'Parquet paths, partitions, manifests, the raw store, raw answers, observations and their journal, exports',
    mayImport: basics,
  },
  {
    path: 'pipeline/snapshots/transfer-model',
    holds: 'the probability that a transfer is made: trees, features, model and calibration, evaluated by the API too',
    mayImport: ['pipeline/model'],
    isPure: true,
  },
  {
    path: 'pipeline/snapshots',
    holds:
      'the boundary between pipeline and API: contracts, readers and writers of timetable, realtime, history, prediction metrics, network maps and announcements; the one function for the times of a dated trip; demands of the API',
    mayImport: [...basics, 'pipeline/snapshots/transfer-model', 'pipeline/lake/paths.ts'],
  },
  {
    path: 'pipeline/backup',
    holds: 'copies of the data folder: captured while it is written, stored by content, verified, restored',
    mayImport: [...basics, 'pipeline/lake'],
  },
  {
    path: 'pipeline/scale-out/object-store',
    holds:
      'the data folder as a working copy of an object store: trees, publishing, fetching, following, collecting garbage',
    mayImport: [...basics, 'pipeline/lake'],
  },
  {
    path: 'pipeline/osm',
    holds: 'OpenStreetMap extracts: blocks of a PBF file, their objects, points of areas',
    mayImport: basics,
  },
  {
    path: 'pipeline/streets',
    holds:
      'the graph of streets: built by a job, opened once per process; measures and describes ways on foot, by bicycle and by car',
    mayImport: [...basics, 'pipeline/osm'],
  },
  {
    path: 'pipeline/timetable/feed',
    holds: 'a feed as published: unpacking, staging SQL, checks, patterns, versions and their days',
    mayImport: [...basics, 'pipeline/lake'],
  },
  {
    path: 'pipeline/timetable/merging',
    holds:
      "rules that merge stations and trips published more than once, and the operator's table; pure except for reading it",
    mayImport: basics,
  },
  {
    path: 'pipeline/timetable/snapshot',
    holds: 'builds the timetable snapshot from feeds, and checks it',
    mayImport: [
      ...basics,
      'pipeline/lake',
      'pipeline/streets',
      'pipeline/timetable/feed',
      'pipeline/timetable/merging',
      'pipeline/snapshots',
    ],
  },
  {
    path: 'pipeline/timetable',
    holds: 'the job from feeds to a published snapshot: which versions, in which order, when one is held back',
    mayImport: [
      ...basics,
      'pipeline/lake',
      'pipeline/streets',
      'pipeline/timetable/feed',
      'pipeline/timetable/merging',
      'pipeline/timetable/snapshot',
      'pipeline/snapshots',
    ],
  },
  {
    path: 'pipeline/places',
    holds:
      "the place index: addresses and places of an OpenStreetMap extract and of Austria's address register, read, grouped, published",
    mayImport: [
      ...basics,
      'pipeline/osm',
      'pipeline/streets',
      'pipeline/timetable/snapshot/search-index.ts',
      'pipeline/snapshots',
    ],
  },
  {
    path: 'pipeline/network-maps/drawing',
    holds:
      'network maps as SVG text: lines of a timetable, chosen, laid out on an octilinear grid, ordered, named, written',
    mayImport: ['pipeline/model', 'pipeline/snapshots'],
    isPure: true,
  },
  {
    path: 'pipeline/network-maps',
    holds: 'the maps of the published timetable and those of the operator: drawn, checked, published',
    mayImport: [
      ...basics,
      'pipeline/lake',
      'pipeline/timetable/snapshot',
      'pipeline/network-maps/drawing',
      'pipeline/snapshots',
    ],
  },
  {
    path: 'pipeline/history/stop-events',
    holds: 'stop events: built from observations when a day is complete, stored, checked, counted over all sources',
    mayImport: [
      ...basics,
      'pipeline/lake',
      'pipeline/timetable/feed',
      'pipeline/timetable/merging',
      'pipeline/snapshots',
    ],
  },
  {
    path: 'pipeline/history/archives',
    holds: 'archives of other systems: mappings in SQL, and the import of their rows into the stop events',
    mayImport: [...basics, 'pipeline/lake', 'pipeline/history/stop-events'],
  },
  {
    path: 'pipeline/history/marts',
    holds: 'aggregates of the stop events: models in SQL, their checks, which days are rebuilt',
    mayImport: [
      ...basics,
      'pipeline/effects/sql-dialects',
      'pipeline/lake',
      'pipeline/timetable/feed',
      'pipeline/snapshots',
      'pipeline/history/stop-events',
    ],
  },
  {
    path: 'pipeline/predictions/forest',
    holds: 'boosted trees: how they are trained, for quantiles and for probabilities',
    mayImport: ['pipeline/snapshots/transfer-model'],
    isPure: true,
  },
  {
    path: 'pipeline/predictions',
    holds: 'predictions of delays: dated trips as arrays, features, intervals, evaluation',
    mayImport: [
      ...basics,
      'pipeline/lake',
      'pipeline/history/stop-events',
      'pipeline/predictions/forest',
      'pipeline/snapshots/transfer-model',
    ],
  },
  {
    path: 'pipeline/operations',
    holds: 'history of job runs and of the shards of backfills, and their store',
    mayImport: basics,
  },
  {
    path: 'pipeline/scale-out/leases',
    holds: 'locks that several machines share in PostgreSQL',
    mayImport: basics,
  },
  {
    path: 'pipeline/scale-out/shards',
    holds: 'shards of a distributed job: their queue in PostgreSQL',
    mayImport: basics,
  },
  {
    path: 'pipeline/scale-out/iceberg',
    holds:
      'tables of Apache Iceberg in a folder: schemas, bounds, manifests, snapshots, commits and their expiry; independent of our tables',
    mayImport: basics,
  },
  {
    path: 'pipeline/guide',
    holds:
      'documentation of the tables of the lake, written into it: `README.md` and `catalog.sql`; its tables as views',
    mayImport: [
      ...basics,
      'pipeline/lake',
      'pipeline/history/stop-events',
      'pipeline/timetable/feed',
      'pipeline/history/marts',
      'pipeline/predictions',
    ],
  },
  {
    path: 'pipeline/scale-out/lakehouse',
    holds:
      'the tables of the lake and the marts as Iceberg tables: their files, linked by content, and what is published',
    mayImport: [
      ...basics,
      'pipeline/effects/sql-dialects',
      'pipeline/scale-out/trino',
      'pipeline/snapshots',
      'pipeline/lake',
      'pipeline/scale-out/iceberg',
      'pipeline/history/stop-events',
      'pipeline/history/marts',
      'pipeline/guide',
    ],
  },
  {
    path: 'pipeline/realtime/matching',
    holds: 'finds the rows of the timetable for reports; links stops of different publishers',
    mayImport: ['pipeline/model', 'pipeline/timetable/merging', 'pipeline/snapshots'],
    isPure: true,
  },
  {
    path: 'pipeline/realtime/passages',
    holds: 'times at which vehicles passed the stops of their trips, derived from their positions',
    mayImport: ['pipeline/model', 'pipeline/snapshots'],
    isPure: true,
  },
  {
    path: 'pipeline/realtime/state',
    holds:
      'the state over all sources: delay propagation, merging, settling the times of each trip, the tables of the snapshot',
    mayImport: ['pipeline/model', 'pipeline/realtime/matching', 'pipeline/realtime/passages', 'pipeline/snapshots'],
    isPure: true,
  },
  {
    path: 'pipeline/realtime/sharing',
    holds: 'the state of sharing systems: their newest files, joined and checked, and their tables of the snapshot',
    mayImport: ['pipeline/model', 'pipeline/snapshots'],
    isPure: true,
  },
  {
    path: 'pipeline/realtime/polling',
    holds:
      'requests to the realtime sources, or replay of their stored answers: intervals, budget, backoff, circuit breaker, standby; passes answers to one sink',
    mayImport: [
      ...basics,
      'pipeline/sources',
      'pipeline/config/configured-source.ts',
      'pipeline/config/load-config.ts',
      'pipeline/lake',
      'pipeline/predictions/live/prediction-service.ts',
      'pipeline/realtime/matching',
      'pipeline/realtime/sharing',
      'pipeline/realtime/state',
      'pipeline/snapshots',
    ],
  },
  {
    path: 'pipeline/sample',
    holds: 'the simulated country: timetable, operation, upstreams in four protocols, archives of past days',
    mayImport: [...basics, 'pipeline/sources'],
  },
  {
    path: 'api/contract',
    holds: 'every type and route once, as source of TypeScript types, JSON Schema and OpenAPI',
    mayImport: ['pipeline/model'],
  },
  {
    path: 'api/engine',
    holds:
      'boards, journeys, search, alerts, vehicles; trips (`planner` finds them, `trips` presents them, `fares` prices them); no HTTP, no disk',
    mayImport: [
      'pipeline/model',
      'pipeline/snapshots',
      'pipeline/snapshots/transfer-model',
      'pipeline/streets',
      'api/contract',
    ],
  },
  {
    path: 'api/plugins',
    holds: 'HTTP around the routes: errors, fair use, load, caching, the pair of snapshots of a request',
    mayImport: [...apiBasics, 'api/contract', 'api/engine'],
  },
  {
    path: 'api/planning',
    holds: 'threads that plan trips and footpaths: start, queue, limits',
    mayImport: [...apiBasics, 'api/contract', 'api/engine', 'api/plugins'],
  },
  {
    path: 'api/watches',
    holds:
      'watched trips and lines: their store (SQLite or PostgreSQL), judging, and the events that wait to be pushed',
    mayImport: [...apiBasics, 'api/contract', 'api/engine', 'api/plugins'],
  },
  {
    path: 'api/push',
    holds:
      'web push: the keys of the installation, one attempt (encrypted, signed, to a checked address), the loop that delivers what waits',
    mayImport: [...apiBasics, 'api/watches/outbox.ts', 'api/watches/push-endpoint.ts'],
  },
  {
    path: 'api/history',
    holds: 'past service dates: queries, the engine for custom periods, numbers and tables',
    mayImport: [
      ...apiBasics,
      'pipeline/effects/sql-dialects',
      'pipeline/scale-out/trino',
      'api/contract',
      'api/engine',
      'api/plugins',
    ],
  },
  {
    path: 'api/site/texts',
    holds: 'the texts of the pages, in each language; for the server and for browsers',
    mayImport: [],
    isPure: true,
  },
  {
    path: 'api/site/view-model',
    holds: 'what pages show of answers: states, paths of data, rows, words; for the server and for browsers',
    mayImport: ['pipeline/model', 'api/contract', 'api/site/texts'],
    isPure: true,
  },
  {
    path: 'api/site/browser',
    holds: 'what runs in browsers: a folder for each page, and the parts that pages share; bundled by the build',
    mayImport: ['pipeline/model', 'api/contract', 'api/site/texts', 'api/site/view-model'],
  },
  {
    path: 'api/site',
    holds: 'pages: shells rendered by the server, and the files that the build has bundled',
    mayImport: [
      ...apiBasics,
      'api/contract',
      'api/engine',
      'api/plugins',
      'api/history',
      'api/site/texts',
      'api/site/view-model',
    ],
  },
  {
    path: 'api/routes',
    holds: 'one file per resource: from a request to the engine and back',
    mayImport: [
      ...apiBasics,
      'api/contract',
      'api/engine',
      'api/plugins',
      'api/planning',
      'api/watches',
      'api/history',
    ],
  },
  {
    path: 'api/site/data',
    holds: 'data of the pages: separate routes, and those of the contract under an address that browsers may request',
    mayImport: [
      ...apiBasics,
      'api/contract',
      'api/engine',
      'api/plugins',
      'api/planning',
      'api/history',
      'api/routes',
      'api/site/view-model',
    ],
  },
  {
    path: 'api',
    holds: 'the composed service: loads snapshots, registers plugins and routes, starts the server',
    mayImport: [...apiBasics, 'api/'],
  },
  {
    path: 'jobs',
    holds:
      'by folder, each importing only from those before it: what a `job` is, `explain`, `locks`, `store` (trees fetched and published around a run), `runner` (attempts, backfills, shards for workers), `definitions` (the jobs), `monitoring`, `polling`, `schedule`, `alerts`, `doctor`, `commands`',
    mayImport: ['pipeline/', 'api/start-api.ts'],
  },
];
