/** What a script learns from a command; part of the interface, documented in `--help` and docs/command-line.md. */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Only where asked for with `--exit-code`: the run found nothing new. */
  nothingToDo: 3,
} as const;

/** 128 plus the signal's number, as shells count. */
const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Somebody stopped the command before it was done; not an error, and no stack belongs to it. */
export class Interruption extends Error {
  readonly exitCode: number;

  /** @param signalName e.g. `SIGINT` */
  constructor(signalName: string) {
    super(`stopped by ${signalName}`);
    this.name = 'Interruption';
    this.exitCode = SIGNAL_CODES[signalName] ?? SIGNAL_CODES.SIGINT!;
  }
}
