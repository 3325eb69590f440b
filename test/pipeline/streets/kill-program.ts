import process from 'node:process';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { terminalLog } from '../../../pipeline/effects/log.ts';
import { buildStreets } from '../../../pipeline/streets/build-streets.ts';

// Builds the street graph of a file with a program of the test, which reports its steps on stdout until it is killed.
const [pbf, dataDir, program] = process.argv.slice(2);
await buildStreets(
  { pbf: pbf!, dataDir: dataDir!, modes: ['walk'], program: program!, signal: new AbortController().signal },
  { clock: systemClock, log: terminalLog(process.stdout) },
);
