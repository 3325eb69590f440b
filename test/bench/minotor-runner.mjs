// Asks the npm planner minotor; `minotor-bench.ts` copies this file to where that is installed, and starts it there.
import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { Query, Router, Time } from 'minotor';
import { GtfsParser } from 'minotor/parser';

const [zip, date, questionsFile, answersFile] = process.argv.slice(2);
/** @type {{ from: string, to: string, secondOfDay: number }[]} */
const asked = JSON.parse(await readFile(questionsFile, 'utf8'));

const started = performance.now();
const { timetable, stopsIndex } = await new GtfsParser(zip).parse(new Date(`${date}T12:00:00`));
const parseSeconds = (performance.now() - started) / 1000;
const router = new Router(timetable, stopsIndex);
const questions = asked.map(({ from, to, secondOfDay }) => ({ from: toOwnId(from), to: toOwnId(to), secondOfDay }));

/** Its reader makes numbers of ids that look like some. */
function toOwnId(id) {
  return stopsIndex.findStopById(id) ? id : Number(id);
}

/** @returns second of the day, or null */
function findArrival({ from, to, secondOfDay }) {
  const query = new Query.Builder().from(from).to(to).departureTime(Time.fromSeconds(secondOfDay)).build();
  return router.route(query).arrivalAt(to)?.time.toSeconds() ?? null;
}

// As with ours: all of them warm up, a minute later than they are asked.
for (const question of questions) findArrival({ ...question, secondOfDay: question.secondOfDay + 60 });
const arrivals = [];
const milliseconds = [];
for (const question of questions) {
  const begun = performance.now();
  arrivals.push(findArrival(question));
  milliseconds.push(performance.now() - begun);
}
await writeFile(answersFile, JSON.stringify({ parseSeconds, milliseconds, arrivals }));
