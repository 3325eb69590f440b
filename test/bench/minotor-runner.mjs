// Runs the planner minotor. `minotor-bench.ts` copies this file into its folder and starts it there.
import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { Query, Router, Time } from 'minotor';
import { GtfsParser } from 'minotor/parser';

const [zip, date, questionsFile, answersFile] = process.argv.slice(2);
/** @type {{ from: string, to: string, secondOfDay: number }[]} */
const input = JSON.parse(await readFile(questionsFile, 'utf8'));

const started = performance.now();
const { timetable, stopsIndex } = await new GtfsParser(zip).parse(new Date(`${date}T12:00:00`));
const parseSeconds = (performance.now() - started) / 1000;
const router = new Router(timetable, stopsIndex);
const questions = input.map(({ from, to, secondOfDay }) => ({ from: toOwnId(from), to: toOwnId(to), secondOfDay }));

/** The GTFS reader of minotor converts numeric ids to numbers. */
function toOwnId(id) {
  return stopsIndex.findStopById(id) ? id : Number(id);
}

/** @returns second of the day, or null */
function findArrival({ from, to, secondOfDay }) {
  const query = new Query.Builder().from(from).to(to).departureTime(Time.fromSeconds(secondOfDay)).build();
  return router.route(query).arrivalAt(to)?.time.toSeconds() ?? null;
}

// As in our benchmark, all questions warm up, shifted by a minute.
for (const question of questions) findArrival({ ...question, secondOfDay: question.secondOfDay + 60 });
const arrivals = [];
const milliseconds = [];
for (const question of questions) {
  const begun = performance.now();
  arrivals.push(findArrival(question));
  milliseconds.push(performance.now() - begun);
}
await writeFile(answersFile, JSON.stringify({ parseSeconds, milliseconds, arrivals }));
