import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { holdSnapshot, type SnapshotReader } from '../../../api/plugins/snapshot-holder.ts';
import type { Log } from '../../../pipeline/effects/log.ts';

/** A source of snapshots that a test publishes to, breaks and repairs. */
function shelf() {
  const state = {
    id: null as string | null,
    pointerFailure: null as string | null,
    readFailure: null as string | null,
    reads: 0,
    looks: 0,
    /** If set, reading waits for it. */
    gate: null as Promise<void> | null,
  };
  const source: SnapshotReader<{ of: string }> = {
    async readCurrentId() {
      state.looks += 1;
      if (state.pointerFailure) throw new Error(state.pointerFailure);
      return state.id;
    },
    async read() {
      state.reads += 1;
      const { id } = state;
      await state.gate;
      if (state.readFailure) throw new Error(state.readFailure);
      return id === null ? null : { id, value: { of: id } };
    },
  };
  return { state, source };
}

function notes() {
  const lines: string[] = [];
  const log: Log = {
    info: (message) => void lines.push(message),
    warn: (message) => void lines.push(`warning: ${message}`),
    progress: () => {},
  };
  return { lines, log };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function open(prepare: (state: ReturnType<typeof shelf>['state']) => void = () => {}) {
  const { state, source } = shelf();
  const { lines, log } = notes();
  prepare(state);
  const holder = await holdSnapshot(source, { log });
  return { state, lines, holder, seconds: (count: number) => vi.advanceTimersByTimeAsync(count * 1000) };
}

describe('loading', () => {
  test('loads the published snapshot at the start', async () => {
    const { holder } = await open((state) => {
      state.id = 'a';
    });
    expect(holder.current()).toEqual({ dataVersion: 'a', value: { of: 'a' } });
  });

  test('starts empty, and loads a later publication within a second', async () => {
    const { holder, state, seconds, lines } = await open();
    expect(holder.current()).toBeNull();
    state.id = 'a';
    await seconds(1);
    expect(holder.current()?.dataVersion).toBe('a');
    expect(lines).toEqual([]);
  });

  test('reads each snapshot once', async () => {
    const { state, seconds } = await open((s) => {
      s.id = 'a';
    });
    await seconds(10);
    expect([state.reads, state.looks]).toEqual([1, 11]);
    state.id = 'b';
    await seconds(10);
    expect(state.reads).toBe(2);
  });

  test('serves the old snapshot while the new one loads, and starts no second load', async () => {
    const { holder, state, seconds } = await open((s) => {
      s.id = 'a';
    });
    const taken = holder.current();
    let release = () => {};
    state.gate = new Promise((resolve) => {
      release = resolve;
    });
    state.id = 'b';
    await seconds(5);
    expect([holder.current(), state.reads]).toEqual([taken, 2]);
    release();
    await seconds(0);
    expect(holder.current()?.dataVersion).toBe('b');
    expect(taken).toEqual({ dataVersion: 'a', value: { of: 'a' } });
  });

  test('keeps its snapshot if the pointer disappears', async () => {
    const { holder, state, seconds, lines } = await open((s) => {
      s.id = 'a';
    });
    state.id = null;
    await seconds(3);
    expect([holder.current()?.dataVersion, lines]).toEqual(['a', []]);
  });
});

describe('failing', () => {
  test('keeps the old snapshot and logs a broken one once', async () => {
    const { holder, state, seconds, lines } = await open((s) => {
      s.id = 'a';
    });
    state.id = 'b';
    state.readFailure = 'the footer is missing';
    await seconds(300);
    expect(holder.current()?.dataVersion).toBe('a');
    expect(lines).toEqual(['warning: snapshot b cannot be loaded: the footer is missing; a stays']);
  });

  test('retries with increasing delay, at least once a minute', async () => {
    const { state, seconds } = await open((s) => {
      s.id = 'a';
      s.readFailure = 'broken';
    });
    const readsAfter: number[] = [];
    for (const wait of [1, 1, 2, 1, 4, 1, 8, 1]) {
      await seconds(wait);
      readsAfter.push(state.reads);
    }
    expect(readsAfter).toEqual([1, 2, 2, 3, 3, 4, 4, 5]);
    await seconds(1000);
    const before = state.reads;
    await seconds(61);
    expect(state.reads).toBe(before + 1);
  });

  test('loads a newer snapshot at once', async () => {
    const { holder, state, seconds, lines } = await open((s) => {
      s.id = 'a';
      s.readFailure = 'broken';
    });
    await seconds(100);
    state.id = 'b';
    state.readFailure = null;
    await seconds(1);
    expect(holder.current()?.dataVersion).toBe('b');
    expect(lines).toEqual([
      'warning: snapshot a cannot be loaded: broken; there is none to fall back on',
      'the published snapshot can be loaded again',
    ]);
  });

  test('logs an unreadable pointer once, and its recovery', async () => {
    const { holder, state, seconds, lines } = await open((s) => {
      s.id = 'a';
    });
    state.pointerFailure = 'EIO';
    await seconds(10);
    state.pointerFailure = null;
    await seconds(10);
    state.pointerFailure = 'EIO';
    await seconds(10);
    expect(holder.current()?.dataVersion).toBe('a');
    expect(lines).toEqual([
      'warning: the pointer to the published snapshot cannot be read: EIO; a stays',
      'the published snapshot can be loaded again',
      'warning: the pointer to the published snapshot cannot be read: EIO; a stays',
    ]);
  });
});

test('stops checking and awaits the current load when closed', async () => {
  const { holder, state, seconds } = await open((s) => {
    s.id = 'a';
  });
  let release = () => {};
  state.gate = new Promise((resolve) => {
    release = resolve;
  });
  state.id = 'b';
  await seconds(1);
  let isClosed = false;
  const closing = holder.close().then(() => {
    isClosed = true;
  });
  await seconds(10);
  expect(isClosed).toBe(false);
  release();
  await closing;
  expect([state.looks, holder.current()?.dataVersion]).toEqual([2, 'b']);
});

test('reports each load, but no check that finds nothing new', async () => {
  const { state, source } = shelf();
  const reported: string[] = [];
  state.id = 'one';
  const onLoad = (outcome: string, seconds: number) => reported.push(`${outcome} ${seconds >= 0}`);
  const holder = await holdSnapshot(source, { log: notes().log, onLoad });
  await holder.check();
  state.id = 'two';
  state.readFailure = 'damaged';
  await holder.check();
  state.readFailure = null;
  await holder.check();
  await holder.check();
  expect(reported).toEqual(['loaded true', 'failed true', 'loaded true']);
  await holder.close();
});
