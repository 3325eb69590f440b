import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formerNames } from '../../../pipeline/config/former-names.ts';
import { type Config, type ConfigRequest, loadConfig } from '../../../pipeline/config/load-config.ts';
import { listSettings } from '../../../pipeline/config/settings.ts';
import { UsageError } from '../../../pipeline/effects/usage-error.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'taktgeber-config-'));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

async function load(request: Partial<ConfigRequest> = {}, content?: string) {
  if (content !== undefined) await writeFile(path.join(home, 'taktgeber.yaml'), content);
  return loadConfig({ environment: {}, cwd: home, home, ...request });
}

async function refusalOf(request: Partial<ConfigRequest>, content?: string): Promise<string> {
  const error = await load(request, content).then(
    () => expect.fail('was accepted'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message.replaceAll(home, '~');
}

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

describe('rejects invalid settings by name', () => {
  const inFile: readonly [content: string, message: string][] = [
    [
      'prot: 1\n',
      '~/taktgeber.yaml:1: unknown key "prot"; did you mean "port"? allowed are dataDir, logLevel, logFormat, host, port, ',
    ],
    [
      'whatever: 1\n',
      '~/taktgeber.yaml:1: unknown key "whatever"; allowed are dataDir, logLevel, logFormat, host, port, ',
    ],
    ['# limits\n\nburst: 5\n', '~/taktgeber.yaml:3: unknown key "burst"; did you mean "fairUse.burst"? allowed are'],
    ['port: 1\nfairUse:\n  burst: 5\n  brust: 5\n', '~/taktgeber.yaml:4: unknown key "fairUse.brust"; did you mean'],
    ['host: x\nfairUse.burst: 3\n', '~/taktgeber.yaml:2: unknown key "fairUse.burst"; a dot is a level, so'],
    ['port: 1\nport: 2\n', '~/taktgeber.yaml:2: this is neither YAML nor JSON: Map keys must be unique at column 1'],
    ['host: x\nfairUse:\n  burst: many\n', '~/taktgeber.yaml:3: fairUse.burst is "many", but must be a number'],
    ['sources:\n- id: a\n  gtfs: x\n- id: b\n', '~/taktgeber.yaml:4: sources[1].gtfs must be the path'],
    ['realtime:\n- id: a\n  kind: gtfs-rt\n  alerts: 5\n', '~/taktgeber.yaml:4: realtime[0].alerts must be'],
    ['a: &f\n  brust: 1\nfairUse: *f\n', '~/taktgeber.yaml:2: unknown key "fairUse.brust"'],
    ['fairUse: {brust: 1}\n', 'unknown key "fairUse.brust"; did you mean "fairUse.burst"? allowed are unitsPerMinute'],
    ['PublicURL: https://x.example\n', 'unknown key "PublicURL"; did you mean "publicUrl"? allowed are dataDir'],
    ['sources: [{id: a, gtfs: x, licens: y}]\n', 'key "sources[0].licens"; did you mean "sources[0].licence"?'],
    ['realtime: [{id: a, kind: gtfs-rt, tripUpdate: "http://x"}]\n', 'did you mean "realtime[0].tripUpdates"?'],
    [
      'history: {lateMinDelaySeconds: 200}\n',
      'history.lateMinDelaySeconds is 200 (~/taktgeber.yaml:1), but must not be below history.onTimeMaxDelaySeconds, which is 330 (default)',
    ],
    ['history: {furtherDefinitions: "180/600, 330/300"}\n', 'the second limit not below the first'],
    ['fairUse: 3\n', '~/taktgeber.yaml:1: fairUse must hold unitsPerMinute, burst'],
    ['port: "80"\n', '~/taktgeber.yaml:1: port is "80", but must be a whole number from 0 to 65535'],
    ['port: 70000\n', '~/taktgeber.yaml:1: port is 70000, but must be a whole number from 0 to 65535'],
    ['port: 80.5\n', '~/taktgeber.yaml:1: port is 80.5, but must be a whole number'],
    ['port: null\n', '~/taktgeber.yaml:1: port is null, but must be'],
    ['logLevel: loud\n', '~/taktgeber.yaml:1: logLevel is "loud", but must be one of debug, info, warn, error, silent'],
    ['ingest: {memoryLimit: 2 GB}\n', '~/taktgeber.yaml:1: ingest.memoryLimit is "2 GB", but must be a size such as'],
    ['schedule: {ingestTimetable: 15 26 * * *}\n', 'schedule.ingestTimetable is "15 26 * * *", but must be a cron'],
    ['publicUrl: ftp://x\n', 'publicUrl is "ftp://x", but must be an http or https address'],
    ['- a\n', '~/taktgeber.yaml:1: it must hold settings as "key: value"'],
    ['a: [\n', '~/taktgeber.yaml:2: this is neither YAML nor JSON'],
    ['sources: {}\n', '~/taktgeber.yaml:1: sources must be a list of {id, gtfs}'],
    ['sources: [{id: A B, gtfs: x}]\n', '~/taktgeber.yaml:1: sources[0].id must be 1 to 40 of a-z'],
    ['sources: [{id: a}]\n', '~/taktgeber.yaml:1: sources[0].gtfs must be the path or the address of a GTFS feed'],
    ['sources: [{id: a, gtfs: x, headers: {k: 1}}]\n', 'sources[0].headers must map header names to texts'],
    ['sources: [{id: a, gtfs: x, url: y}]\n', 'unknown key "sources[0].url"; allowed are id, kind, gtfs, name'],
    ['sources: [{id: a, gtfs: x, fixes: [parent]}]\n', 'sources[0].fixes must be a list of parent-ids, train-numbers'],
    ['sources: [{id: a, gtfs: x, zone: Wien}]\n', 'sources[0].zone must be a time zone such as Europe/Vienna'],
    ['sources: [{id: a, gtfs: x, stopAfterValidity: 1}]\n', 'sources[0].stopAfterValidity must be true or false'],
    ['sources: [{id: a, kind: netex, gtfs: x}]\n', 'sources[0].kind must be one of gtfs, mvo'],
    ['sources: [{id: a, kind: mvo}]\n', 'sources[0].dataSet must be the number of a data set'],
    ['sources: [{id: a, kind: mvo, dataSet: "66"}]\n', 'sources[0].dataSet must be the number of a data set'],
    [
      'sources: [{id: a, kind: mvo, dataSet: 66, gtfs: x}]\n',
      'unknown key "sources[0].gtfs"; allowed are id, kind, dataSet',
    ],
    [
      'sources: [{id: a, kind: mvo, dataSet: 66}, {id: b, kind: mvo, dataSet: 66}]\n',
      'sources[1].dataSet 66 is already the source "a"; remove one of the two',
    ],
    [
      'sources:\n- {id: old, kind: mvo, dataSet: 53}\n- {id: flex, kind: mvo, dataSet: 79}\n',
      '~/taktgeber.yaml:3: sources[1].dataSet 79: the Flex edition 79 ("flex") contains all of its plain twin; remove "old" (53)',
    ],
    [
      'sources:\n- {id: flex, kind: mvo, dataSet: 77}\n- {id: old, kind: mvo, dataSet: 56}\n',
      '~/taktgeber.yaml:3: sources[1].dataSet 56: the Flex edition 77 ("flex") contains all of its plain twin; remove "old" (56)',
    ],
    ['sources: [{id: a, gtfs: x}, {id: a, gtfs: y}]\n', 'sources[1].id "a" is taken by another source'],
    ['realtime: 3\n', '~/taktgeber.yaml:1: realtime must be a list of {id, kind, …}'],
    ['realtime: [{id: a, kind: gtfs-rt}]\n', '~/taktgeber.yaml:1: realtime[0] must hold at least one of tripUpdates'],
  ];
  it.each(inFile)('%j', async (content, message) => {
    expect(await refusalOf({}, content)).toContain(message);
  });

  const inEnvironment: readonly [variable: string, value: string, message: string][] = [
    ['TAKTGEBER_PORT', 'abc', 'TAKTGEBER_PORT is "abc", but must be a whole number from 0 to 65535'],
    ['TAKTGEBER_PORT', '1e3', 'TAKTGEBER_PORT is "1e3", but must be'],
    ['TAKTGEBER_PORT', '0x10', 'TAKTGEBER_PORT is "0x10", but must be'],
    ['TAKTGEBER_SCHEDULE_IS_ENABLED', 'maybe', 'TAKTGEBER_SCHEDULE_IS_ENABLED is "maybe", but must be true or false'],
    ['TAKTGEBER_TRUST_PROXY', 'foo', 'TAKTGEBER_TRUST_PROXY is "foo", but must be addresses or ranges'],
    ['TAKTGEBER_TRUST_PROXY', '10.0.0.0/33', 'but must be addresses or ranges'],
    ['TAKTGEBER_CONFIG', 'none.yaml', 'there is no configuration file ~/none.yaml'],
  ];
  it.each(inEnvironment)('%s=%s', async (variable, value, message) => {
    expect(await refusalOf({ environment: { [variable]: value } })).toContain(message);
  });

  it('all errors at once', async () => {
    const file = 'hots: y\nlogLevel: z\nsources: 1\nrealtime: 2\n';
    const message = await refusalOf({ environment: { TAKTGEBER_PORT: 'x' } }, file);
    expect(message.split('\n')).toHaveLength(5);
  });

  it('two files in one folder', async () => {
    await writeFile(path.join(home, 'taktgeber.json'), '{}');
    expect(await refusalOf({}, '')).toBe(
      'found ~/taktgeber.yaml and ~/taktgeber.json. Remove all but one, or choose one with --config',
    );
  });

  it('a secret without revealing it', async () => {
    const fromVariable = await refusalOf({ environment: { TAKTGEBER_REFERENCE_KEY: 'hunter2' } });
    const fromFile = await refusalOf({}, 'referenceKey: hunter2\n');
    expect(`${fromVariable} ${fromFile}`).not.toContain('hunter2');
    expect(fromVariable).toBe('TAKTGEBER_REFERENCE_KEY must be 64 hexadecimal characters');
  });

  it('unknown variables are reported with the most similar setting, not rejected', async () => {
    const { unknownVariables } = await load({
      environment: {
        TAKTGEBER_PROT: '1',
        TAKTGEBER_SOMETHING_UNLIKE_ALL_OF_THEM: '1',
        TAKTGEBER_REAL_DATA: 'x',
        PATH: '/',
      },
    });
    expect(unknownVariables).toEqual([
      { name: 'TAKTGEBER_PROT', nearest: 'TAKTGEBER_PORT' },
      { name: 'TAKTGEBER_SOMETHING_UNLIKE_ALL_OF_THEM', nearest: null },
    ]);
  });

  it.each(formerNames)('the former name of $current is read, and reported', async ({ key, environment, current }) => {
    const value = current === 'trino.queryTimeLimitSeconds' ? 7 : true;
    const [group, name] = current.split('.') as [keyof Config, string];
    const valueIn = (config: Config) => (config[group] as Readonly<Record<string, unknown>>)[name];
    const { config, renamed } = await load({ environment: { [environment]: String(value) } });
    const variable = listSettings().find((one) => one.key === current)!.setting.environment;
    expect([valueIn(config), renamed]).toEqual([value, [{ former: environment, current: variable }]]);
    const lines = `${group}:\n  ${key.split('.')[1]}: ${value}\n`;
    const inFile = await load({}, lines);
    expect(valueIn(inFile.config)).toBe(value);
    expect(inFile.renamed).toEqual([{ former: expect.stringMatching(`taktgeber.yaml:2: ${key}$`), current }]);
    await expect(load({}, lines.replace(String(value), 'wrong'))).rejects.toThrow(key);
  });

  it('the current name takes precedence over the former one', async () => {
    const environment = { TAKTGEBER_PREDICTIONS_PAUSED: 'true', TAKTGEBER_PREDICTIONS_IS_PAUSED: 'false' };
    expect((await load({ environment })).config.predictions.isPaused).toBe(false);
    const file = 'predictions:\n  isPaused: false\n  paused: true\n';
    expect((await load({}, file)).config.predictions.isPaused).toBe(false);
  });

  it('also in the file if a variable or an option overrides it', async () => {
    const request = {
      environment: { TAKTGEBER_PORT: '1' },
      options: new Map([['host', { option: '--host', value: 'h' }]]),
    };
    const message = await refusalOf(request, 'port: 70000\nhost: 3\n');
    expect(message).toContain('port is 70000');
    expect(message).toContain('host is 3');
    // Values of the variable itself are rejected beside it.
    const both = await refusalOf({ environment: { TAKTGEBER_PORT: 'x' } }, 'port: 70000\n');
    expect(both.split('\n')).toHaveLength(2);
  });

  it('limits that contradict each other, from any origin', async () => {
    const environment = { TAKTGEBER_HISTORY_ON_TIME_MAX_DELAY_SECONDS: '900' };
    expect(await refusalOf({ environment })).toBe(
      'history.lateMinDelaySeconds is 600 (default), but must not be below history.onTimeMaxDelaySeconds, which is 900 (TAKTGEBER_HISTORY_ON_TIME_MAX_DELAY_SECONDS)',
    );
    const { config } = await load({}, 'history: {lateMinDelaySeconds: 330, furtherDefinitions: 180/180}\n');
    expect(config.history.lateMinDelaySeconds).toBe(330);
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
