import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigRequest } from '../../../pipeline/config/load-config.ts';
import { listSettings } from '../../../pipeline/config/settings.ts';
import { loadIn, refusalIn } from './config-folder.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'taktgeber-config-'));
});

afterEach(async () => {
  await rm(home, { recursive: true });
});

const load = (request?: Partial<ConfigRequest>, content?: string) => loadIn(home, request, content);
const refusalOf = (request: Partial<ConfigRequest>, content?: string) => refusalIn(home, request, content);

describe('defaults', () => {
  it('are all valid', () => {
    for (const { key, setting } of listSettings()) {
      expect(setting.default === null || setting.accepts(setting.default), key).toBe(true);
    }
  });

  it('give a complete configuration, with the data folder in the project', async () => {
    const { config, file, origins } = await load({ cwd: tmpdir() });
    expect(file).toBeNull();
    expect(config).toMatchObject({
      dataDir: path.join(home, 'data'),
      port: 8080,
      fairUse: { unitsPerMinute: 120, burst: 60 },
      limits: { bodyBytes: 262_144, urlBytes: 24_576, headerBytes: 16_384, requestTimeoutSeconds: 15 },
      referenceKey: null,
      schedule: { ingestTimetable: '15 2 * * *' },
      sources: [],
      realtime: [],
    });
    expect(new Set(origins.values())).toEqual(new Set(['default']));
  });

  it('have one variable and one key each', () => {
    const all = listSettings();
    expect(new Set(all.map(({ setting }) => setting.environment)).size).toBe(all.length);
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
  });
});

describe('precedence', () => {
  const content = 'port: 1001\nhost: file.example\nfairUse:\n  burst: 7\n';

  it('is option, environment, file, default', async () => {
    const { config, origins, file } = await load(
      {
        environment: { TAKTGEBER_PORT: '1002', TAKTGEBER_HOST: 'variable.example' },
        options: new Map([['port', { option: '--port', value: '1003' }]]),
      },
      content,
    );
    expect([config.port, config.host, config.fairUse.burst, config.fairUse.unitsPerMinute]).toEqual([
      1003,
      'variable.example',
      7,
      120,
    ]);
    expect(['port', 'host', 'fairUse.burst', 'fairUse.unitsPerMinute'].map((key) => origins.get(key))).toEqual([
      '--port',
      'TAKTGEBER_HOST',
      file,
      'default',
    ]);
  });

  it('treats an empty variable as not set', async () => {
    const { config } = await load({ environment: { TAKTGEBER_PORT: '' } }, content);
    expect(config.port).toBe(1001);
  });

  it('reads every setting from its variable', async () => {
    const environment = Object.fromEntries(
      listSettings().map(({ setting }) => [
        setting.environment,
        String(setting.default ?? sampleOf(setting.environment)),
      ]),
    );
    const { origins } = await load({ environment });
    for (const { key, setting } of listSettings()) expect(origins.get(key)).toBe(setting.environment);
  });
});

describe('a program with arguments', () => {
  const COMMAND = 'TAKTGEBER_ALERTS_COMMAND';
  it.each([
    ['words separated by spaces', '/bin/tell  --all', ['/bin/tell', '--all']],
    ['a list as JSON', '["/bin/tell", "a b"]', ['/bin/tell', 'a b']],
  ])('is read from %s', async (_what, value, words) => {
    const { config } = await load({ environment: { [COMMAND]: value } });
    expect(config.alerts.command).toEqual(words);
  });

  it('is a list in the file, in which variables are replaced', async () => {
    const { config } = await load(
      { environment: { CHANNEL: 'night shift' } },
      `alerts:\n  command: [/bin/tell, --to, "\${CHANNEL}"]\n`,
    );
    expect(config.alerts.command).toEqual(['/bin/tell', '--to', 'night shift']);
  });

  it.each(['[]', '["/bin/tell", 3]', '["/bin/tell"', '[""]'])('rejects %s', async (value) => {
    await expect(load({ environment: { [COMMAND]: value } })).rejects.toThrow(
      'must be a list of texts: a program and its arguments',
    );
  });
});

function sampleOf(variable: string): string {
  const samples: Record<string, string> = {
    TAKTGEBER_TRUST_PROXY: 'loopback, 10.0.0.0/8',
    TAKTGEBER_PUBLIC_URL: 'https://example.org/fahrplan',
    TAKTGEBER_REFERENCE_KEY: 'a1'.repeat(32),
    TAKTGEBER_PLANNER_THREADS: '3',
    TAKTGEBER_HISTORY_FURTHER_DEFINITIONS: '180/600',
    TAKTGEBER_ALERTS_COMMAND: '["/usr/bin/logger", "-t", "taktgeber alerts"]',
    TAKTGEBER_ALERTS_WEBHOOK: 'https://example.org/hook?key=secret',
    TAKTGEBER_WATCHES_POSTGRES_URL: 'postgres://taktgeber:secret@localhost/watches',
    TAKTGEBER_OPERATIONS_POSTGRES_URL: 'postgres://taktgeber:secret@localhost/operations',
    TAKTGEBER_OPERATIONS_TIMEOUT_MINUTES: 'ingest-timetable=90, train-predictions = 0',
    TAKTGEBER_WATCHES_VAPID_KEY: `${'b2'.repeat(21)}A`,
    TAKTGEBER_WATCHES_PUSH_CONTACT: 'mailto:ops@example.org',
    TAKTGEBER_ICEBERG_LOCATION: 's3://lake/iceberg',
    TAKTGEBER_ICEBERG_CATALOG_POSTGRES_URL: 'postgres://taktgeber:secret@localhost/catalog',
    TAKTGEBER_TRINO_URL: 'https://trino.example.org:8443',
    TAKTGEBER_TRINO_PASSWORD: 'secret',
    TAKTGEBER_MAP_TILES_URL: 'https://tiles.example.org/{z}/{x}/{y}.png',
    TAKTGEBER_MAP_TILES_ATTRIBUTION: '© Example',
    TAKTGEBER_NETWORK_MAPS_FOLDER: '/srv/network-maps',
    TAKTGEBER_STORE_URL: 's3://bucket/folder',
    TAKTGEBER_STORE_ENDPOINT: 'https://store.example.org',
    TAKTGEBER_STORE_REGION: 'eu-central-1',
    TAKTGEBER_STORE_ACCESS_KEY_ID: 'key',
    TAKTGEBER_STORE_SECRET_ACCESS_KEY: 'secret',
    TAKTGEBER_STORE_SESSION_TOKEN: 'token',
    TAKTGEBER_SCHEDULE_CONCURRENCY: '2',
    TAKTGEBER_ALERTS_LICENCE_DAYS: '30',
    TAKTGEBER_MVO_USER: 'me@example.org',
    TAKTGEBER_MVO_PASSWORD: 'p',
    TAKTGEBER_MVO_URL: 'https://mvo.example/api',
    TAKTGEBER_MVO_TOKEN_URL: 'https://mvo.example/token',
    TAKTGEBER_MVO_CLIENT_ID: 'script',
  };
  return samples[variable] ?? expect.fail(`no sample for ${variable}`);
}

describe('paths', () => {
  it('are relative to their origin', async () => {
    const cwd = path.join(home, 'typed-here');
    await mkdir(cwd);
    const fromVariable = await load({ cwd, environment: { TAKTGEBER_DATA: 'd' } });
    const fromFile = await load({ cwd }, 'dataDir: d\n');
    const absolute = await load({ cwd, environment: { TAKTGEBER_DATA: '/srv/takt' } });
    expect([fromVariable, fromFile, absolute].map(({ config }) => config.dataDir)).toEqual([
      path.join(cwd, 'd'),
      path.join(home, 'd'),
      '/srv/takt',
    ]);
  });

  it('of sources are relative to the file; addresses are unchanged', async () => {
    const { config } = await load(
      {},
      'sources:\n- {id: a, gtfs: feeds/a.zip}\n- {id: b, gtfs: "https://x.example/b.zip"}\n',
    );
    expect(config.sources).toMatchObject([
      { kind: 'gtfs', gtfs: path.join(home, 'feeds/a.zip') },
      { kind: 'gtfs', gtfs: 'https://x.example/b.zip' },
    ]);
  });
});

describe('sources of the Mobilitätsverbünde', () => {
  it('name publisher, licence and changes by themselves, and stop after their validity', async () => {
    const { config } = await load(
      {},
      'sources:\n- {id: rail, kind: mvo, dataSet: 66}\n- {id: b, kind: mvo, dataSet: 57, attribution: MVO, stopAfterValidity: false}\n',
    );
    expect(config.sources).toMatchObject([
      {
        attribution: 'Datenquelle: Mobilitätsverbünde Österreich OG, Daten verändert',
        licence: 'Datenlizenz Mobilitätsverbünde Österreich v1.1',
        stopAfterValidity: true,
      },
      { attribution: 'MVO, Daten verändert', stopAfterValidity: false },
    ]);
  });
});

describe('the file', () => {
  it('is found in the folder of the command, the project and the data folder', async () => {
    const [cwd, data] = [path.join(home, 'cwd'), path.join(home, 'state')];
    const request = { cwd, environment: { TAKTGEBER_DATA: data } };
    const found: (string | null)[] = [];
    for (const folder of [data, home, cwd]) {
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'taktgeber.json'), '{"port": 1}');
      found.push((await load(request)).file);
    }
    expect(found).toEqual([data, home, cwd].map((folder) => path.join(folder, 'taktgeber.json')));
  });

  it('may be named', async () => {
    await writeFile(path.join(home, 'other.yaml'), 'port: 4\n');
    expect((await load({ file: 'other.yaml' })).config.port).toBe(4);
    expect((await load({ environment: { TAKTGEBER_CONFIG: 'other.yaml' } })).config.port).toBe(4);
  });

  it('may be empty, or contain only comments', async () => {
    expect((await load({}, '# nothing\n')).config.port).toBe(8080);
  });
});

describe('variables in the file', () => {
  const environment = { VAO_KEY: 'geheim', PORT: '9001', HOST_NAME: 'api', IS_ON: 'false', EMPTY: '' };

  it('are replaced in every text and at every depth', async () => {
    const { config, origins, file } = await load(
      { environment },
      [
        `port: \${PORT}`,
        `publicUrl: "https://\${HOST_NAME}.example.org"`,
        `polling: {isEnabled: "\${IS_ON}"}`,
        'realtime:',
        '- id: vao',
        '  kind: hafas',
        '  profile: vao',
        `  key: \${VAO_KEY}`,
        `  headers: {authorization: "Bearer \${VAO_KEY}", x: "$\${VAO_KEY} $VAO_KEY \${}"}`,
        '  stops: [1]',
        '  dailyBudget: 10',
        '',
      ].join('\n'),
    );
    expect(config).toMatchObject({
      port: 9001,
      publicUrl: 'https://api.example.org',
      polling: { isEnabled: false },
      realtime: [
        { options: { key: 'geheim' }, headers: { authorization: 'Bearer geheim', x: `\${VAO_KEY} $VAO_KEY \${}` } },
      ],
    });
    expect(origins.get('port')).toBe(file);
  });

  it.each([
    [`host: \${MISSING}\n`, '~/taktgeber.yaml:1: host names the variable MISSING, which is not set'],
    [`host: \${EMPTY}\n`, '~/taktgeber.yaml:1: host names the variable EMPTY, which is not set'],
    [
      `sources: [{id: a, gtfs: x, headers: {k: "a\${MISSING}"}}]\n`,
      '~/taktgeber.yaml:1: sources[0].headers.k names the variable MISSING, which is not set',
    ],
    // A secret in the wrong place is not shown.
    [`port: \${VAO_KEY}\n`, '~/taktgeber.yaml:1: port must be a whole number from 0 to 65535'],
  ])('rejects %j in one sentence', async (content, message) => {
    expect(await refusalOf({ environment }, content)).toBe(message);
  });

  it('are not replaced within the value of a variable', async () => {
    const { config } = await load({ environment: { HOST_NAME: `\${PORT}`, PORT: '1' } }, `host: "\${HOST_NAME}"\n`);
    expect(config.host).toBe(`\${PORT}`);
  });
});

it('is deeply frozen', async () => {
  const { config } = await load({}, 'sources: [{id: a, gtfs: x, headers: {k: v}}]\n');
  const parts: unknown[] = [config, config.fairUse, config.sources, config.sources[0], config.sources[0]?.headers];
  expect(parts.every(Object.isFrozen)).toBe(true);
});
