import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formerNames } from '../../../pipeline/config/former-names.ts';
import type { Config, ConfigRequest } from '../../../pipeline/config/load-config.ts';
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
