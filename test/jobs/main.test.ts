import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCode, Interruption } from '../../jobs/job/exit-code.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { type FeedVersion, toSourceId } from '../../pipeline/model/ids.ts';
import type { SnapshotVersion } from '../../pipeline/snapshots/timetable-contract.ts';
import { writeFeedPublications } from '../../pipeline/timetable/feed/feed-manifest.ts';
import { ingestPart, outcome, publish, tables } from './fake-ingest.ts';
import { type CommandSetting, fakeEffects, press, runCommand, temporaryFolder } from './fake-world.ts';

async function run(argv: readonly string[], setting: Partial<CommandSetting> = {}) {
  return runCommand(argv, { dataDir: await temporaryFolder(), ...setting });
}

describe('the command line', () => {
  it.each([[['--help']], [['run', '--help']], [['up', '-h']], [['help', 'sql']]])(
    '%j explains on stdout',
    async (argv) => {
      const { code, stdout, stderr } = await run(argv);
      expect([code, stderr]).toEqual([exitCode.done, '']);
      expect(stdout).toContain('Usage: taktgeber');
    },
  );

  it('says how a job is divided, or why it is not', async () => {
    const { stdout } = await run(['run', '--help']);
    expect(stdout).toMatch(/\n {2}days +compact-observations, finalise-stop-events, .*check-data\n/);
    expect(stdout).toMatch(/\n {2}months +build-marts, evaluate-predictions\n/);
    expect(stdout).toContain('build-features, as its features cover one window of days');
  });

  it('shows examples for every command', async () => {
    const { stdout } = await run(['--help']);
    const names = [...stdout.matchAll(/^ {2}([\w-]+) .*\[options\]/gm)].map(([, name]) => name!);
    expect(names).toEqual([
      'init',
      'up',
      'serve',
      'replay',
      'jobs',
      'run',
      'build-streets',
      'build-places',
      'schedule',
      'work',
      'sql',
      'export',
      'explain',
      'standby',
      'push-key',
      'status',
      'store',
      'alerts',
      'doctor',
      'backup',
      'restore',
    ]);
    for (const name of names) expect((await run([name, '--help'])).stdout, name).toContain('Examples:\n  $ taktgeber');
  });

  it('offers JSON for every table', async () => {
    const commands = await readdir(projectPath('jobs/commands'));
    const texts = await Promise.all(commands.map((name) => readFile(projectPath(`jobs/commands/${name}`), 'utf8')));
    const isCommand = (text: string) => /\.command\('/.test(text) && /render(Table|Listings|\w*Report)\(/.test(text);
    expect(texts.filter(isCommand).length).toBeGreaterThan(5);
    for (const text of texts.filter(isCommand)) expect(text).toContain(".option('--json'");
  });

  it('prints its version', async () => {
    expect(await run(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+(-rc\.\d+)?\n$/),
    });
  });

  const wrong: readonly [argv: readonly string[], message: string][] = [
    [[], 'Usage: taktgeber'],
    [['fly'], "unknown command 'fly'"],
    [['run'], "missing required argument 'job'"],
    [
      ['run', 'fly'],
      'there is no job "fly"; there are generate-sample, ingest-timetable, build-network-maps, poll-realtime',
    ],
    [['run', 'ingest-timetable', '--fast'], "unknown option '--fast'"],
    [['run', 'ingest-timetable', '--date', '2026-03-01'], 'ingest-timetable does not support --date'],
    [
      ['run', 'generate-sample', '--concurrency', '2'],
      'generate-sample is not divided, so --concurrency and --resume do not apply',
    ],
    [['run', 'compact-observations', '--resume'], '--concurrency, --distribute and --resume need --from and --to'],
    [['run', 'train-predictions', '--concurrency', '2'], 'it trains one model per source, on all days'],
    [['jobs', 'fly'], 'there is no job "fly"'],
    [['run', 'compact-observations', '--mapping', 'sample'], 'compact-observations does not support --mapping'],
    [['run', 'build-marts', '--file', 'a.csv'], 'build-marts does not support --file'],
    [
      ['run', 'build-marts', '--date', '2026-03-01', '--from', '2026-03-01'],
      '--date and --from or --to exclude each other',
    ],
    [['run', 'generate-sample', '--date', '1. März'], '--date is "1. März", but must be a day as in 2026-03-29'],
    [['run', 'ingest-timetable', '--source', 'x'], 'there is no source "x"; none is configured'],
    [['run', 'ingest-timetable', '--source', 'x', '--gtfs', 'y'], '--source and --gtfs exclude each other'],
    [['run', 'ingest-timetable', '--gtfs', 'a.zip', 'b/a.zip'], 'two feeds are called "a"'],
    [['status', '--config', 'none.yaml'], 'there is no configuration file'],
    [['serve', '--port', 'x'], '--port is "x", but must be a whole number'],
    [['sql', '--limit', '0'], 'It must be a whole number from 1 on'],
    [['sql', '--json', '--csv', 'select 1'], '--json and --csv exclude each other'],
    [['sql'], 'no statement was given'],
  ];
  it.each(wrong)('%j is wrong usage', async (argv, message) => {
    const { code, stdout, stderr } = await run(argv);
    expect([code, stdout]).toEqual([exitCode.usage, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it.each([
    ['run', 'generate-sample', '--parallel', '2'],
    ['work', '--lanes', '2'],
  ])('accepts the former option in %j %j %j, with a warning', async (...argv) => {
    const { stderr } = await run(argv);
    expect(stderr).toContain(`warning: ${argv.at(-2)} was renamed. Use --concurrency.`);
    expect((await run([argv[0]!, '--help'])).stdout).not.toContain(argv.at(-2));
  });

  it('warns of former names of settings', async () => {
    const { stderr } = await run(['status'], { environment: { TAKTGEBER_PREDICTIONS_PAUSED: '1' } });
    expect(stderr).toBe('warning: TAKTGEBER_PREDICTIONS_PAUSED was renamed. Use TAKTGEBER_PREDICTIONS_IS_PAUSED.\n');
  });

  it('warns of variables that are no settings', async () => {
    const { stderr } = await run(['status'], { environment: { TAKTGEBER_PROT: '1' } });
    expect(stderr).toBe('warning: TAKTGEBER_PROT is set, but there is no such setting; did you mean TAKTGEBER_PORT?\n');
  });
});

describe('time limits', () => {
  const environment = { TAKTGEBER_OPERATIONS_TIMEOUT_MINUTES: 'ingest-timetable=90, check-data=0' };

  it('are shown as configured', async () => {
    const { stdout } = await run(['jobs', 'ingest-timetable'], { environment });
    expect(stdout).toContain('is stopped after 90 minutes');
    expect((await run(['jobs', 'check-data'], { environment })).stdout).toContain('has no time limit');
    expect((await run(['jobs', 'import-history'], { environment })).stdout).toContain('is stopped after 1440 minutes');
  });

  it('of an unknown job are wrong usage', async () => {
    const { code, stderr } = await run(['jobs'], { environment: { TAKTGEBER_OPERATIONS_TIMEOUT_MINUTES: 'fly=3' } });
    expect(code).toBe(exitCode.usage);
    expect(stderr).toContain(
      'operations.timeoutMinutes names "fly", but there is no such job; there are generate-sample,',
    );
  });
});

describe('run', () => {
  it('ingests the sample when no source is configured', async () => {
    const dataDir = await temporaryFolder();
    const { parts, requests } = ingestPart();
    const { code, stdout } = await runCommand(['run', 'ingest-timetable'], { dataDir, parts });
    expect(code).toBe(0);
    expect(stdout).toBe('ingest-timetable: published snapshot s1; sample: 1,210 rows in, 1,209 out, 1 refused (0 s)\n');
    const location = path.join(dataDir, 'sample', 'mini-austria.zip');
    expect(requests).toMatchObject([{ sources: [{ id: 'sample', location }], isDryRun: false, isForced: false }]);
  });

  it('ingests the given feed, relative to the working folder', async () => {
    const { parts, requests } = ingestPart();
    await run(['run', 'ingest-timetable', '--gtfs', 'wien=a.zip', 'b.zip', '--dry-run', '--force'], {
      parts,
      cwd: '/typed',
    });
    expect(requests).toMatchObject([
      {
        sources: [
          { id: 'wien', location: '/typed/a.zip' },
          { id: 'b', location: '/typed/b.zip' },
        ],
        isDryRun: true,
        isForced: true,
      },
    ]);
  });

  it('reports that nothing changed, with exit code 3 on request', async () => {
    const { parts } = ingestPart(outcome({ isUnchanged: true }));
    const plain = await run(['run', 'ingest-timetable'], { parts });
    expect(plain).toMatchObject({ code: 0, stdout: 'ingest-timetable: nothing changed, snapshot s1 stays (0 s)\n' });
    expect((await run(['run', 'ingest-timetable', '--exit-code'], { parts })).code).toBe(3);
  });

  it('reports rejected and repaired rows, with reasons', async () => {
    const { stdout, stderr } = await run(['run', 'ingest-timetable'], ingestPart());
    expect(stderr).toContain(
      'stops: 1 refused, missing_stop_id\n    row 4\nstop_times: 7 repaired, time_interpolated\n',
    );
    expect(stderr).toMatch(/stops +10 +9 +1 +0\n/);
    expect(stdout).toContain('1,210 rows in, 1,209 out, 1 refused');
  });

  it('prints the outcome for machines', async () => {
    const { stdout } = await run(['run', 'ingest-timetable', '--json'], ingestPart());
    expect(JSON.parse(stdout)).toMatchObject({
      job: 'ingest-timetable',
      status: 'done',
      details: { snapshotId: 's1' },
    });
  });

  it('reports a failed feed in one sentence', async () => {
    const feed = {
      sourceId: toSourceId('a'),
      feedVersion: null,
      versions: [],
      isUnchanged: false,
      failure: 'the feed has no stops',
      tables: [],
      onDemand: [],
    };
    const { parts } = ingestPart(outcome({ feeds: [feed] }));
    const { code, stdout, stderr } = await run(['run', 'ingest-timetable'], { parts });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'error: a: the feed has no stops\n' });
  });

  it('shows a stack only for a bug', async () => {
    const bug = await run(['run', 'ingest-timetable'], ingestPart(new TypeError('x is not a function')));
    expect(bug.code).toBe(1);
    expect(bug.stderr).toMatch(/^This is a bug in taktgeber:\nTypeError: x is not a function\n {4}at /);
    const world = await run(['run', 'ingest-timetable'], ingestPart(new ExternalError('no_zip', 'a.zip is not a zip')));
    expect(world).toMatchObject({ code: 1, stderr: 'error: a.zip is not a zip\n' });
    const disk = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(await run(['run', 'ingest-timetable'], ingestPart(disk))).toMatchObject({
      stderr: expect.stringContaining(`error: ${disk.message}; the data folder must exist, have space left`),
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('ends without output on %s with %i', async (signal, expected) => {
    const stop = new AbortController();
    const ingestTimetable = async (): Promise<never> => {
      press(stop, new Interruption(signal));
      throw stop.signal.reason;
    };
    const parts = { ...ingestPart().parts, ingestTimetable };
    expect(await run(['run', 'ingest-timetable'], { parts, stop })).toEqual({ code: expected, stdout: '', stderr: '' });
  });
});

describe('jobs', () => {
  it('lists the last and next runs, and how fresh the data are', async () => {
    const dataDir = await temporaryFolder();
    const effects = fakeEffects('2026-03-01T12:00:00Z');
    const before = JSON.parse((await runCommand(['jobs', '--json'], { dataDir, effects })).stdout);
    expect(before.jobs[1]).toMatchObject({
      job: 'ingest-timetable',
      lastRunAt: null,
      freshness: 'never',
      isRunning: false,
    });

    await runCommand(['run', 'ingest-timetable'], { dataDir, effects, ...ingestPart() });
    effects.clock.set('2026-03-02T02:00:00Z');
    const fresh = await runCommand(['jobs'], { dataDir, effects });
    expect(fresh.stdout.split('\n')).toEqual([
      'JOB                   LAST RUN     OUTCOME   TOOK  NEXT RUN     FRESHNESS',
      '--------------------  -----------  -------  -----  -----------  ---------',
      'generate-sample       -            -            -  -            -',
      'ingest-timetable      03-01 13:00  done     0.0 s  03-02 03:15  fresh',
      'build-network-maps    -            -            -  03-02 03:00  -',
      'poll-realtime         -            -            -  -            -',
      'compact-observations  -            -            -  03-02 03:00  -',
      'rebuild-observations  -            -            -  -            -',
      'finalise-stop-events  -            -            -  03-02 03:00  -',
      'import-history        -            -            -  -            -',
      'build-sample-history  -            -            -  -            -',
      'build-marts           -            -            -  03-02 03:00  -',
      'build-features        -            -            -  03-02 03:00  -',
      'train-predictions     -            -            -  03-02 03:00  -',
      'evaluate-predictions  -            -            -  03-02 03:00  -',
      'compact-predictions   -            -            -  03-02 03:00  -',
      'check-data            -            -            -  03-02 03:00  -',
      'drop-old-days         -            -            -  03-02 03:00  -',
      'publish-iceberg       -            -            -  03-02 03:00  -',
      'expire-iceberg        -            -            -  03-02 03:00  -',
      'collect-objects       -            -            -  -            -',
      'Times are local (Europe/Vienna).',
      '',
    ]);

    effects.clock.set('2026-03-03T00:00:01Z');
    const stale = JSON.parse((await runCommand(['jobs', '--json'], { dataDir, effects })).stdout);
    expect(stale.jobs[1]).toMatchObject({ freshness: 'stale', nextRunAt: '2026-03-02T02:15:00.000Z' });
  });

  it('says why a job failed', async () => {
    const dataDir = await temporaryFolder();
    await runCommand(['run', 'ingest-timetable'], {
      dataDir,
      ...ingestPart(new ExternalError('no_zip', 'a.zip is not a zip')),
    });
    const { stdout } = await runCommand(['jobs'], { dataDir });
    expect(stdout).toContain('ingest-timetable failed: a.zip is not a zip');
  });
});

describe('status', () => {
  it('reports that nothing is published, with exit code 3 on request', async () => {
    const { code, stdout } = await run(['status']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('No timetable is published yet')]);
    expect(stdout).toMatch(/^NOT READY: no timetable/);
    expect(stdout).toContain('No street graph is published: walks are straight lines.');
    expect((await run(['status', '--exit-code'])).code).toBe(3);
    expect(JSON.parse((await run(['status', '--json'])).stdout).timetable).toBeNull();
  });

  it('shows the ingest report per source, rejected rows by reason', async () => {
    const dataDir = await temporaryFolder();
    await publish(dataDir, 'wien');
    const { stdout } = await runCommand(['status'], { dataDir });
    expect(stdout).toContain(`Timetable s0, published 2026-03-01T02:16:00Z
Valid from 2026-01-01 to 2026-12-12: 9 stops, 100 trips, 1,200 calls

Source wien by Verkehr AG: feed version f0, fetched 2026-03-01T02:15:00Z, valid from 2026-01-01 to 2026-12-12
TABLE       ROWS IN  ROWS OUT  REFUSED  REPAIRED
----------  -------  --------  -------  --------
stops            10         9        1         0
stop_times    1,200     1,200        0         7
stops: 1 refused, missing_stop_id
    row 4
stop_times: 7 repaired, time_interpolated
`);
    const json = JSON.parse((await runCommand(['status', '--json', '--exit-code'], { dataDir })).stdout);
    expect(json.timetable).toMatchObject({
      id: 's0',
      sources: [{ sourceId: 'wien', feedVersion: 'f0', report: tables }],
    });
  });

  it('says which version is valid now, which waits, and which is kept aside', async () => {
    const dataDir = await temporaryFolder();
    const days = { feedEndDate: null, timeZone: 'Europe/Vienna', fetchedAt: '2026-03-01T02:15:00Z' };
    const version = (feedVersion: string, begin: string, end: string, from: string | null, until: string | null) =>
      ({ feedVersion, beginDate: begin, endDate: end, from, until, ...days }) as unknown as SnapshotVersion;
    await publish(dataDir, 'wien', [
      version('f0', '2020-01-01', '2020-12-31', null, '2020-12-31'),
      version('f1', '2021-01-01', '2998-12-31', '2021-01-01', '2998-12-31'),
      version('f2', '2999-01-01', '2999-12-31', '2999-01-01', null),
    ]);
    await writeFeedPublications(dataDir, toSourceId('wien'), {
      publishedAt: '2026-03-01T02:16:00Z',
      versions: [],
      keptAside: { feedVersion: 'f3' as FeedVersion, keptAsideAt: '2026-03-02T02:16:00Z', reason: 'it has no trips' },
    });
    const { stdout } = await runCommand(['status'], { dataDir });
    expect(stdout).toContain(`
Version f0 ended on 2020-12-31
Version f1 is valid now
Version f2 starts on 2999-01-01
Version f3 has been held back since 2026-03-02T02:16:00Z: it has no trips; publish it with "taktgeber run ingest-timetable --force"
TABLE`);
    const json = JSON.parse((await runCommand(['status', '--json'], { dataDir })).stdout);
    expect(json.keptAside).toMatchObject({ wien: { feedVersion: 'f3' } });
  });

  it('credits the publisher as configured', async () => {
    const dataDir = await temporaryFolder();
    await publish(dataDir, 'wien');
    const sources = '[{ id: wien, gtfs: a.zip, attribution: Data by Verkehr AG, licence: CC BY 4.0 }]';
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), `sources: ${sources}\n`);
    const { stdout } = await runCommand(['status'], { dataDir });
    expect(stdout).toContain('2026-12-12\nData by Verkehr AG; CC BY 4.0\nTABLE');
  });
});
