import process from 'node:process';
import { POLL_REALTIME } from '../../jobs/definitions/poll-realtime.ts';
import { acquireLocks } from '../../jobs/locks/job-lock.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { createSimulator } from '../../pipeline/sample/simulator/create-simulator.ts';
import { simulatedAnswers } from '../../pipeline/sample/upstream/simulated-answers.ts';
import { startPolling } from '../support/fakes/steered-polling.ts';
import { readSmallCountry } from '../support/worlds/small-country.ts';
import { listKilledSources } from './killed-sources.ts';

/*
 * The program that `poller-kill.slow.test.ts` kills: a poller with its lock and its disk, on a clock that skips waiting, so
 * that a poll is in progress nearly all the time.
 */
const [dataDir, start] = process.argv.slice(2) as [string, string];
await acquireLocks(dataDir, POLL_REALTIME, [POLL_REALTIME], systemClock);
const answers = simulatedAnswers(createSimulator(await readSmallCountry()));
const polling = await startPolling({ dataDir, answers, start, configure: listKilledSources });
for (let seconds = 0; ; seconds += 15) await polling.run(seconds);
