import module from 'node:module';
import process from 'node:process';

// Node 22 and later store the compiled code of all files that are imported from here on, in the temporary folder of the
// system; types of older versions lack the function.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { processIo } = await import('./io.ts');
const { main } = await import('./main.ts');

const code = await main(process.argv.slice(2), processIo());
// Unfinished work after an interruption, e.g. a query of the engine, must not keep the process alive.
process.stdout.write('', () => process.exit(code));
