import process from 'node:process';
import { processIo } from '../../../jobs/commands/io.ts';
import { main } from '../../../jobs/commands/main.ts';
import { movingClock } from '../../../pipeline/effects/clock.ts';
import { realEffects } from '../../../pipeline/effects/effects.ts';
import { terminalLog } from '../../../pipeline/effects/log.ts';

// The command line with the time and speed of the environment variables, so that tests do not depend on the current
// time. Processes with a common clock receive the time at which it started, in milliseconds since 1970.
const { DEMO_STARTS_AT = '', DEMO_STARTED = String(Date.now()), DEMO_SPEED = '1' } = process.env;
const clock = movingClock({ at: Date.parse(DEMO_STARTS_AT), since: Number(DEMO_STARTED), speed: Number(DEMO_SPEED) });
const io = processIo();
const effects = realEffects({ clock, log: terminalLog(io.stderr) });
const code = await main(process.argv.slice(2), io, { effects });
process.stdout.write('', () => process.exit(code));
