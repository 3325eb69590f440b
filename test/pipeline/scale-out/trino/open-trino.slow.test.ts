import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTrinoLiteral, toTrinoName } from '../../../../pipeline/effects/sql-dialects/trino-text.ts';
import { openTrino, type TrinoPage } from '../../../../pipeline/scale-out/trino/open-trino.ts';
import { readTrinoValue, type TypeSignature } from '../../../../pipeline/scale-out/trino/trino-values.ts';
import { type StubAnswer, startStubTrino } from '../../../support/fakes/stub-trino.ts';

const numbers = { columns: { n: 'bigint' }, pages: [[[1], [2]], [], [[3]]] };

async function open(answer: StubAnswer) {
  const stub = await startStubTrino(() => answer);
  const trino = await openTrino({ url: stub.url, catalog: 'lake', user: 'reader', password: 'secret' });
  return { stub, trino };
}

async function collect(pages: AsyncIterable<TrinoPage>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const page of pages) values.push(...(page.n ?? []));
  return values;
}

describe('a statement', () => {
  it('returns rows page by page, in UTC, as the configured user, with a limit in Trino', async () => {
    const { stub, trino } = await open(numbers);
    expect(await collect(trino.stream('select 1', { timeLimitSeconds: 7.5 }))).toEqual([1, 2, 3]);
    const [{ sql, headers }] = stub.statements as [(typeof stub.statements)[number]];
    expect(sql).toBe('select 1');
    expect(headers).toMatchObject({
      'x-trino-user': 'reader',
      'x-trino-catalog': 'lake',
      'x-trino-time-zone': 'UTC',
      'x-trino-session': 'query_max_run_time=8s',
      authorization: `Basic ${Buffer.from('reader:secret').toString('base64')}`,
    });
    expect(stub.cancelled).toEqual([]);
  });

  it('is polled while Trino responds that it is busy', async () => {
    const { trino } = await open({ ...numbers, busyAt: 2 });
    expect(await collect(trino.stream('select 1', { timeLimitSeconds: 30 }))).toEqual([1, 2, 3]);
  });

  it('is requested again after a lost connection, page by page', async () => {
    const { stub, trino } = await open({ ...numbers, breakOnceAt: 2 });
    expect(await collect(trino.stream('select 1', { timeLimitSeconds: 30 }))).toEqual([1, 2, 3]);
    expect(stub.statements).toHaveLength(1);
  });

  it('ends in Trino, too, when its reader leaves', async () => {
    const { stub, trino } = await open(numbers);
    for await (const _ of trino.stream('select 1', { timeLimitSeconds: 30 })) break;
    await expect.poll(() => stub.cancelled).toEqual(['0']);
  });

  it('ends with the reason of its signal, immediately, and in Trino', async () => {
    const { stub, trino } = await open({ ...numbers, hangAt: 2 });
    const controller = new AbortController();
    const reason = new Error('the job is stopped');
    const rows = collect(trino.stream('select 1', { timeLimitSeconds: 30, signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 50);
    await expect(rows).rejects.toBe(reason);
    await expect.poll(() => stub.cancelled).toEqual(['0']);
  });

  const user = (errorName: string, message = 'as Trino says') => ({ errorName, errorType: 'USER_ERROR', message });
  const resources = (errorName: string) => ({ errorName, errorType: 'INSUFFICIENT_RESOURCES', message: 'no more' });
  const failures: readonly [what: string, answer: StubAnswer, error: object][] = [
    ['never responds', { ...numbers, hangAt: 0 }, { code: 'trino_time_limit', isRetryable: true }],
    ['hangs in the middle', { ...numbers, hangAt: 1 }, { code: 'trino_time_limit', isRetryable: true }],
    ['disconnects every time', { ...numbers, breakAt: 1 }, { code: 'trino_time_limit', isRetryable: true }],
    ['rejects the user', { status: 401 }, { code: 'trino_refused', isRetryable: false }],
    ['has a fault', { status: 500 }, { code: 'trino_failed', isRetryable: true }],
    ['has lost the statement', { status: 404 }, { code: 'trino_failed', isRetryable: true }],
    ['has a full queue', { error: resources('QUERY_QUEUE_FULL') }, { code: 'trino_queue_full', isRetryable: true }],
    [
      'has ended it after its time limit',
      { ...numbers, error: resources('EXCEEDED_TIME_LIMIT') },
      { code: 'trino_time_limit', isRetryable: true, message: expect.stringContaining('longer than 1 s') },
    ],
    ['has no memory', { error: resources('EXCEEDED_LOCAL_MEMORY_LIMIT') }, { code: 'trino_failed', isRetryable: true }],
    ['has no such table', { error: user('TABLE_NOT_FOUND') }, { code: 'trino_table_missing', isRetryable: false }],
    ['forbids it', { error: user('PERMISSION_DENIED') }, { code: 'trino_refused', isRetryable: false }],
    [
      'no longer has the snapshot of the table',
      { error: user('INVALID_ARGUMENTS', 'Iceberg snapshot ID does not exists: 1') },
      { code: 'trino_failed', isRetryable: true },
    ],
  ];
  it.each(failures)('fails when Trino %s', async (_what, answer, error) => {
    const { trino } = await open(answer);
    await expect(collect(trino.stream('select 1', { timeLimitSeconds: 1 }))).rejects.toMatchObject(error);
  });

  const html = '<!doctype html><title>Log in</title>';
  const bodies: readonly [what: string, page: number | 'statement', body: string][] = [
    ['a page of a proxy at first', 'statement', html],
    ['a page of a proxy as page 0', 0, html],
    ['a page of a proxy as page 1', 1, html],
    ['nothing', 1, ''],
    ['null at first', 'statement', 'null'],
    ['null', 1, 'null'],
    ['JSON of another kind', 1, '{"status":"ok"}'],
    ['truncated JSON', 1, '{"id":"0","columns":[{"name":"n","type":"big'],
    ['a result that has not finished and has no next page', 1, '{"id":"0","stats":{"state":"RUNNING"}}'],
  ];
  it.each(bodies)('fails, and does not just end, with %s', async (_what, page, body) => {
    const { stub, trino } = await open({ ...numbers, bodyAt: { page, body } });
    await expect(collect(trino.stream('select 1', { timeLimitSeconds: 5 }))).rejects.toMatchObject({
      code: 'trino_failed',
      isRetryable: true,
      message: expect.stringContaining(stub.url),
    });
    if (page !== 'statement') await expect.poll(() => stub.cancelled).toEqual(['0']);
  });

  it('that is invalid is a bug', async () => {
    const { trino } = await open({ error: user('SYNTAX_ERROR') });
    await expect(collect(trino.stream('select', { timeLimitSeconds: 1 }))).rejects.not.toHaveProperty('code');
  });

  it('fails if nothing listens', async () => {
    const { stub, trino } = await open(numbers);
    await stub.stop();
    await expect(collect(trino.stream('select 1', { timeLimitSeconds: 5 }))).rejects.toMatchObject({
      code: 'trino_unreachable',
      isRetryable: true,
      message: expect.stringContaining(stub.url),
    });
  });
});

describe('values', () => {
  const type = (rawType: string, ...of: readonly unknown[]): TypeSignature => ({
    rawType,
    arguments: of.map((value) => ({ kind: 'TYPE', value })),
  });
  const field = (name: string, typeSignature: TypeSignature) => ({ fieldName: { name }, typeSignature });
  const cases: readonly [value: unknown, type: TypeSignature, read: unknown][] = [
    [null, type('bigint'), null],
    [3, type('bigint'), 3],
    ['2026-01-15', type('date'), '2026-01-15'],
    ['12.50', type('decimal'), 12.5],
    ['1970-01-01 00:00:01.500000 UTC', type('timestamp with time zone'), { micros: 1_500_000n }],
    ['2026-01-15 12:00:00.000 UTC', type('timestamp with time zone'), { micros: 1_768_478_400_000_000n }],
    [
      [
        [1, 2],
        [3, null],
      ],
      type('array', type('row', field('a', type('integer')), field('b', type('bigint')))),
      [
        { a: 1, b: 2 },
        { a: 3, b: null },
      ],
    ],
  ];
  it.each(cases)('%j', (value, signature, read) => {
    expect(readTrinoValue(value, signature)).toEqual(read);
  });

  it('of texts remain texts, whatever they contain', () => {
    expect(toTrinoLiteral("' or 1 = 1 --")).toBe("''' or 1 = 1 --'");
    expect(toTrinoLiteral(["a'b", '\\'])).toBe("array['a''b', '\\']");
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const literal = toTrinoLiteral(text);
        // Between its ends a literal contains only pairs of quotes, which belong to the text.
        expect(literal.slice(1, -1).replaceAll("''", '')).not.toContain("'");
        expect(literal.slice(1, -1).replaceAll("''", "'")).toBe(text);
        expect(toTrinoName(text).slice(1, -1).replaceAll('""', '')).not.toContain('"');
      }),
    );
  });

  it('that are not integers are rejected', () => {
    for (const value of [0.5, Number.NaN, 2 ** 60]) expect(() => toTrinoLiteral(value)).toThrow(RangeError);
  });
});
