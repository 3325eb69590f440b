import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'vitest';
import { askPlanner, nameRide } from '../../../support/ask-planner.ts';
import { describe as d } from '../../../support/compare-plans.ts';
import { randomTown } from '../../../support/naive-plan-random.ts';
import { listItineraries } from '../../../support/naive-planner.ts';
import { asPlanned, asTold, openRandomWorld, toQuestion } from '../../../support/random-plan-world.ts';

test('debug', async () => {
  const {
    number,
    question,
    words,
    count = 60,
    seed = 20_260_318,
  } = JSON.parse(readFileSync('/tmp/debug.json', 'utf8'));
  const random = await openRandomWorld(count, seed);
  const at = random.towns[number]!;
  const compared = words ? await asTold(random, at, words) : asPlanned(random, at);
  const q = toQuestion(at, question);
  writeFileSync('/tmp/debug.txt', '');
  const out = (text: string) => appendFileSync('/tmp/debug.txt', `${text}\n`);
  const town = fc.sample(randomTown, { numRuns: count, seed })[number]!;
  out(town.trips.join('\n'));
  for (const [n, t] of Object.entries(town.files!)) out(`# ${n}\n${t}`);
  const { stops } = random.world.timetable.tables;
  let cursor = null as never;
  for (let n = 0; n < 3; n++) {
    const page = askPlanner(compared.world, q, cursor);
    out(`PAGE ${n}`);
    for (const i of page.itineraries) {
      out(`PLANNER ${d(i)}`);
      for (const p of i.parts) {
        const t = (x: number) => new Date(x * 1000).toISOString().slice(5, 19);
        if (p.kind === 'ride')
          out(
            `  ride ${nameRide(compared.world, p)} day ${p.day} ${p.boardPosition}-${p.alightPosition} ${t(p.departure)} ${t(p.arrival)} ${p.isStaying}`,
          );
        else
          out(
            `  ${p.role} ${p.fromStop < 0 ? `P${p.fromPlace}` : stops.stopId.get(p.fromStop)} -> ${p.toStop < 0 ? `P${p.toPlace}` : stops.stopId.get(p.toStop)} ${p.meters} m ${p.seconds}s ${t(p.departure)} ${t(p.arrival)} change ${p.changeSeconds}`,
          );
      }
    }
    out(JSON.stringify(page.later));
    out(JSON.stringify(page.earlier));
    cursor = (q.timeMode === 'departure' ? page.later : page.earlier) as never;
    if (cursor === null) break;
  }
  const fwd = q.timeMode === 'departure';
  for (const i of listItineraries(
    compared.network,
    q,
    fwd ? q.time : q.time - 86400 * 3,
    fwd ? q.time + 86400 : q.time,
  ))
    if (fwd || i.arrival <= q.time) out(`ORACLE ${d(i)}`);
});
