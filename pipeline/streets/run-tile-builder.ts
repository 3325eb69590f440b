import { type ChildProcessByStdio, spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Log } from '../effects/log.ts';
import { WorldError } from '../effects/world-error.ts';
import { unsupported } from './street-engine.ts';

export interface TileBuild {
  readonly program: string;
  /** Where it works; its temporary files and its tiles go there. */
  readonly folder: string;
  readonly configFile: string;
  readonly pbf: string;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/** How a program came to its end. */
interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last of what it said of errors. */
  readonly words: string;
}

/** Of the builder's many lines, those that begin something long. */
const steps: readonly (readonly [line: RegExp, step: string])[] = [
  [/Parsing ways\.\.\./, 'reading ways'],
  [/Parsing relations\.\.\./, 'reading relations'],
  [/Parsing nodes\.\.\./, 'reading nodes'],
  [/Creating graph edges/, 'joining ways'],
  [/Building \d+ tiles/, 'writing tiles'],
  [/Enhancing local graph/, 'describing streets'],
  [/GraphFilter: Filter driving/, 'leaving out what nobody may walk'],
  [/Validating, finishing/, 'checking tiles'],
];

const KEPT_WORDS = 4000;

/** Over an area without streets it crashes, and now and then before it has said why. */
const MOST_TRIES = 3;

/**
 * Runs the builder of tiles to its end, and tells its steps.
 * @throws WorldError in one sentence; the signal's reason
 */
export async function runTileBuilder(build: TileBuild, log: Log): Promise<void> {
  for (let tries = 1; ; tries++) {
    const end = await runOnce(build, log);
    if (end.code === 0) return;
    const isSilent = end.signal === 'SIGSEGV' && end.words === '';
    if (!isSilent || tries === MOST_TRIES) throw describeFailure(end, build.pbf);
  }
}

/** @throws WorldError when it cannot be started; the signal's reason */
async function runOnce(build: TileBuild, log: Log): Promise<End> {
  build.signal.throwIfAborted();
  const child = spawn(build.program, ['-c', build.configFile, build.pbf], {
    cwd: build.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill('SIGKILL');
  build.signal.addEventListener('abort', stop, { once: true });
  // Whoever ends this process in the middle of the build does not come by the `finally`.
  process.once('exit', stop);
  try {
    const end = await follow(child, log);
    build.signal.throwIfAborted();
    return end;
  } finally {
    build.signal.removeEventListener('abort', stop);
    process.off('exit', stop);
  }
}

/** @throws WorldError `streets_unsupported` when the program cannot be started, e.g. for want of its C library */
function follow(child: ChildProcessByStdio<null, Readable, Readable>, log: Log): Promise<End> {
  let words = '';
  const keep = (text: string) => {
    words = (words + text).slice(-KEPT_WORDS);
  };
  child.stderr.setEncoding('utf8').on('data', keep);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('[ERROR]')) keep(`${line}\n`);
    const step = steps.find(([pattern]) => pattern.test(line));
    if (step) log.progress(`streets: ${step[1]}`);
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(unsupported(`cannot be run here: ${error.message}`, error)));
    child.on('close', (code, signal) => resolve({ code, signal, words }));
  });
}

function describeFailure({ code, signal, words }: End, pbf: string): WorldError {
  const what = /what\(\):\s*(.*)/.exec(words)?.[1];
  // It maps files that it has not the room for, which the system answers with a bus error.
  if (signal === 'SIGBUS' || /No space left/.test(words)) {
    return new WorldError(
      'disk_full',
      'the disk is full; building streets takes about five times the size of the file',
    );
  }
  if (/osmium|protozero|PBF/i.test(words)) {
    return new WorldError('pbf_unreadable', `${pbf} is damaged, or no OSM PBF file: ${what ?? 'it cannot be read'}`);
  }
  // A graph of nothing, whose tiles it cannot name.
  if (/GraphId level exceeds|GraphId with invalid tile id/.test(words)) return streetsEmpty(pbf);
  if (signal === 'SIGKILL') {
    return new WorldError('tile_builder_killed', 'the tile builder was killed, perhaps for want of memory');
  }
  const how = signal ? `was ended by ${signal}` : `ended with ${code}`;
  return new WorldError('tile_builder_failed', `the tile builder ${how}${what ? `: ${what}` : ''}`);
}

/** An area without anything to walk on. */
export function streetsEmpty(pbf: string): WorldError {
  return new WorldError('streets_empty', `${pbf} holds no street that can be walked`);
}
