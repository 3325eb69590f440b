import process from 'node:process';
import { processIo } from './io.ts';
import { main } from './main.ts';

const code = await main(process.argv.slice(2), processIo());
// Unfinished work after an interruption, e.g. a query of the engine, must not keep the process alive.
process.stdout.write('', () => process.exit(code));
