import process from 'node:process';
import { processIo } from '../../jobs/commands/io.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { terminalLog } from '../../pipeline/effects/log.ts';
import { evaluate } from './evaluate.ts';

/* `npm run evaluate`: predictions evaluated on an archive of delays. */
const io = processIo();
const effects = realEffects({ clock: systemClock, log: terminalLog(io.stderr) });
const code = await evaluate(process.argv.slice(2), { io, effects });
// A query of the engine that was interrupted must not keep the process alive.
process.stdout.write('', () => process.exit(code));
