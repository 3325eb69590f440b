import process from 'node:process';
import { processIo } from '../../jobs/commands/io.ts';
import { main } from '../../jobs/commands/main.ts';
import { realParts } from '../../jobs/real-parts.ts';
import { movingClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { terminalLog } from '../../pipeline/effects/log.ts';

// The command line at the time that the environment names: what a test shows does not depend on when it is run.
const clock = movingClock({ at: Date.parse(process.env.DEMO_STARTS_AT ?? ''), since: Date.now(), speed: 1 });
const io = processIo();
const effects = realEffects({ clock, log: terminalLog(io.stderr) });
const code = await main(process.argv.slice(2), io, { effects, parts: realParts });
process.stdout.write('', () => process.exit(code));
