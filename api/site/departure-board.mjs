// Prints the next departures of a stop: node departure-board.mjs praterstern http://localhost:8080
const [query = 'praterstern', base = 'http://localhost:8080'] = process.argv.slice(2);

async function ask(path) {
  const response = await fetch(base + path);
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

const { stops } = await ask(`/v2/stops?query=${encodeURIComponent(query)}&limit=1`);
if (stops.length === 0) throw new Error(`no stop is called ${query}`);
const board = await ask(`/v2/stops/${encodeURIComponent(stops[0].id)}/departures?limit=10`);
console.log(board.stop.name);
// Times are Austrian local time: characters 11 to 16 are the clock time.
for (const { line, direction, departure, platform, cancelled } of board.departures) {
  const isLate = departure.isRealtime && departure.realtime > departure.scheduled;
  const state = cancelled ? 'cancelled' : isLate ? `now ${departure.realtime.slice(11, 16)}` : '';
  console.log(departure.scheduled?.slice(11, 16), line.label, direction, platform.text ?? '', state);
}
