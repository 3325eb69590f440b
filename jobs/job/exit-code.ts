import { CommanderError } from 'commander';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';

/** Exit codes; part of the interface, documented in `--help` and docs/command-line.md. */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Only with `--exit-code`: the run found nothing new. */
  nothingToDo: 3,
} as const;

/** 128 plus the signal's number, as shells count. */
const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** The command was stopped before its end; not an error, so it has no stack trace. */
export class Interruption extends Error {
  readonly exitCode: number;

  /** @param signalName e.g. `SIGINT` */
  constructor(signalName: string) {
    super(`stopped by ${signalName}`);
    this.name = 'Interruption';
    this.exitCode = SIGNAL_CODES[signalName] ?? SIGNAL_CODES.SIGINT!;
  }
}

interface ErrorDescription {
  /** Message for the terminal; empty when it was already printed. */
  readonly sentence: string;
  readonly exitCode: number;
  /** A bug in Taktgeber: the stack trace is shown. */
  readonly isBug: boolean;
}

/** Returns message and exit code for a thrown value. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof Interruption) return { sentence: '', exitCode: error.exitCode, isBug: false };
  if (error instanceof UsageError) return { sentence: error.message, exitCode: exitCode.usage, isBug: false };
  if (error instanceof CommanderError) {
    // Commander has printed its message or the requested help.
    return { sentence: '', exitCode: error.exitCode === 0 ? exitCode.done : exitCode.usage, isBug: false };
  }
  if (error instanceof ExternalError) return { sentence: error.message, exitCode: exitCode.failed, isBug: false };
  if (isOfTheSystem(error)) {
    return { sentence: systemSentence(error), exitCode: exitCode.failed, isBug: false };
  }
  const sentence = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { sentence, exitCode: exitCode.failed, isBug: true };
}

/** Error codes of a folder that is full, read-only or owned by another user. */
const isDiskTrouble = /^(EROFS|EACCES|EPERM|ENOSPC|EDQUOT|ENOTDIR)$/;

function systemSentence(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') {
    const { port } = error as NodeJS.ErrnoException & { port?: number };
    return `port ${port} is taken by another program; choose one with --port or TAKTGEBER_PORT`;
  }
  if (error.code && isDiskTrouble.test(error.code)) {
    return `${error.message}; the data folder must exist, have space left and be writable, or choose another with --data`;
  }
  return error.message;
}
