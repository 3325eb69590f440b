/** Accounts that sources of Austria need, with the variables that a configuration names. */
export const austrianAccounts = {
  mvo: {
    variables: ['MVO_USER', 'MVO_PASSWORD'],
    opens: 'the national timetable, nine data sets',
    remedy: 'register at data.mobilitaetsverbuende.at, which is free',
  },
  vao: {
    variables: ['VAO_ENDPOINT', 'VAO_KEY'],
    opens: 'the HAFAS server of Verkehrsauskunft Österreich',
    remedy: 'ask verkehrsauskunft.at for a key; without charge, 100 requests a day',
  },
} as const;

export type AustrianAccount = keyof typeof austrianAccounts;

/** A source that a configuration for Austria may have. */
export interface AustrianSource {
  readonly id: string;
  /** List of the configuration file. */
  readonly list: 'sources' | 'realtime';
  /** What it is; one line. */
  readonly about: string;
  readonly licence: string;
  /** The account without which nothing can be fetched; null: it is open. */
  readonly account: AustrianAccount | null;
  /** Timetable source without which it is of no use; null: any. */
  readonly timetable: string | null;
  /** Whether it is left out by default where there is an account. */
  readonly isOnlyWithoutAccount: boolean;
  /** Lines of its entry in YAML below the id; `timetable` is added. */
  readonly lines: readonly string[];
}

const MVO_LICENCE = 'Datenlizenz MVO 1.1';
const CREDIT = 'attribution: "Datenquelle: Stadt Wien - data.wien.gv.at"';

/** Faults that all data sets of the platform share, as far as public sources report them. */
const commonFixes = 'fixes: [parent-ids, train-numbers, train-categories, corridor-names]';

function dataSet(id: string, number: number, about: string, lines: readonly string[] = [commonFixes]): AustrianSource {
  return {
    id,
    list: 'sources',
    about,
    licence: MVO_LICENCE,
    account: 'mvo',
    timetable: null,
    isOnlyWithoutAccount: false,
    lines: ['kind: mvo', `dataSet: ${number}`, ...lines],
  };
}

const missingAgencies = 'zone: Europe/Vienna   # its agencies, which name the zone, are missing';

/** All sources, in the order of a configuration file. */
export const austrianSources: readonly AustrianSource[] = [
  {
    id: 'wiener-linien',
    list: 'sources',
    about: 'Timetable of Wiener Linien',
    licence: 'CC BY 4.0',
    account: null,
    timetable: null,
    // The data set of the Eastern Region contains it.
    isOnlyWithoutAccount: true,
    lines: ['gtfs: https://www.wienerlinien.at/ogd_realtime/doku/ogd/gtfs/gtfs.zip', CREDIT, 'licence: CC BY 4.0'],
  },
  dataSet('rail', 66, 'Timetable of all railways', [
    'fixes:',
    '  - parent-ids',
    '  - train-numbers',
    '  - train-categories',
    '  - corridor-names',
    '  - border-shapes',
  ]),
  dataSet('vor', 80, 'Timetable of the Eastern Region (VOR)'),
  dataSet('steiermark', 79, 'Timetable of Styria', [missingAgencies, commonFixes]),
  dataSet('kaernten', 78, 'Timetable of Carinthia', [missingAgencies, commonFixes]),
  dataSet('oberoesterreich', 77, 'Timetable of Upper Austria'),
  dataSet('vorarlberg', 75, 'Timetable of Vorarlberg'),
  dataSet('salzburg', 73, 'Timetable of Salzburg'),
  dataSet('tirol', 57, 'Timetable of Tyrol'),
  dataSet('linz', 69, 'Timetable of Linz AG'),
  {
    id: 'city_transit',
    list: 'realtime',
    about: 'Realtime of Wiener Linien',
    licence: 'CC BY 4.0',
    account: null,
    timetable: null,
    isOnlyWithoutAccount: false,
    lines: [
      'kind: wiener-linien',
      '# Platforms of trams and buses, by which disruptions find their stops:',
      'stopPoints: https://www.wienerlinien.at/ogd_realtime/doku/ogd/wienerlinien-ogd-haltepunkte.csv',
      'dailyBudget: 5000   # about 3,700 are sent; no limit is published',
    ],
  },
  {
    id: 'stmk_gtfs_rt',
    list: 'realtime',
    about: 'Realtime of Styria',
    licence: 'none stated',
    account: null,
    timetable: 'steiermark',
    isOnlyWithoutAccount: false,
    lines: [
      'kind: gtfs-rt',
      'tripUpdates:   # five addresses of one timetable are one source',
      ...[7790, 7792, 7794, 7796, 7798].map((port) => `  - https://efa.verbundlinie.at:${port}/trips`),
      'intervalSeconds: 60',
      'dailyBudget: 9000   # 7,200 are sent; no limit is published',
    ],
  },
  {
    id: 'vao',
    list: 'realtime',
    about: 'Realtime of Verkehrsauskunft Österreich',
    licence: 'by contract, no archive',
    account: 'vao',
    timetable: null,
    isOnlyWithoutAccount: false,
    lines: [
      'kind: hafas',
      'profile: vao',
      `endpoint: \${VAO_ENDPOINT}`,
      `key: \${VAO_KEY}`,
      "stops: ['490134900']   # Wien Hbf; each further stop makes all boards rarer",
      'dailyBudget: 90   # the smallest plan has 100 requests a day',
    ],
  },
];

/**
 * The configuration file of chosen sources, with comments.
 * @throws RangeError that says which source they lack
 */
export function renderAustria(ids: ReadonlySet<string>): string {
  const chosen = austrianSources.filter(({ id }) => ids.has(id));
  for (const { id, timetable } of chosen) {
    if (timetable !== null && !ids.has(timetable)) throw new RangeError(`${id} needs ${timetable}`);
  }
  if (!chosen.some(({ list }) => list === 'sources')) throw new RangeError('none of them is a timetable');
  const accounts = new Set(chosen.map(({ account }) => account));
  const blocks = [HEADER, ...(accounts.has('mvo') ? [MVO_ACCOUNT] : [])];
  for (const list of ['sources', 'realtime'] as const) {
    const entries = chosen.filter((source) => source.list === list);
    if (entries.length > 0) blocks.push([`${list}:`, ...entries.flatMap((one) => renderEntry(one, ids))].join('\n'));
  }
  return `${[...blocks, ALERTS].join('\n\n')}\n`;
}

function renderEntry({ id, about, licence, timetable, lines }: AustrianSource, ids: ReadonlySet<string>): string[] {
  // The numbers of the stations of Wiener Linien are those of its timetable; VOR's are matched as well as others.
  const own = id === 'city_transit' && ids.has('wiener-linien') && !ids.has('vor') ? 'wiener-linien' : timetable;
  const entry = [...(own === null ? [] : [`timetable: ${own}`]), ...lines];
  return [`  # ${about}. Licence: ${licence}.`, `  - id: ${id}`, ...entry.map((line) => `    ${line}`)];
}

const HEADER = `# Taktgeber for Austria, written by "taktgeber init austria".
# docs/austria.md explains the sources, docs/settings.md all settings.
# \${NAME} stands for a variable of the environment: keep passwords out of here.`;

const MVO_ACCOUNT = `# Account at data.mobilitaetsverbuende.at. Accept the terms of each data set
# there. They forbid serving data beyond their validity (stopAfterValidity is
# on for kind mvo), selling tickets based on them, and sublicences.
mvo:
  user: \${MVO_USER}
  password: \${MVO_PASSWORD}`;

const ALERTS = `# Alerts are logged. Days before the end of a timetable, and of one whose
# licence ends with it:
alerts:
  timetableDays: 7
  licenceDays: 28
  # webhook: https://example.org/alerts`;
