// Written by `npm run client` from the contract; changes here are lost.

/** Method and path of each operation, and statuses besides 200 whose body is no problem. */
const operations = {
  getMeta: ['GET', '/v2/meta'],
  getSchema: ['GET', '/v2/schema'],
  searchStops: ['GET', '/v2/stops'],
  listNearbyStops: ['GET', '/v2/stops/nearby'],
  getDepartures: ['GET', '/v2/stops/{id}/departures'],
  getArrivals: ['GET', '/v2/stops/{id}/arrivals'],
  getStopInfo: ['GET', '/v2/stops/{id}/info'],
  getJourney: ['GET', '/v2/journeys/{ref}'],
  planTrips: ['POST', '/v2/trips'],
  planFootpath: ['POST', '/v2/footpath'],
  listDisruptions: ['GET', '/v2/disruptions'],
  getHistory: ['GET', '/v2/history'],
  listVehicles: ['GET', '/v2/vehicles'],
  getPredictions: ['POST', '/v2/predictions/batch'],
  planRescue: ['POST', '/v2/rescue'],
  watchRescue: ['POST', '/v2/rescue/watch'],
  unwatchRescue: ['POST', '/v2/rescue/unwatch'],
  watchLines: ['POST', '/v2/lines/watch'],
  unwatchLines: ['POST', '/v2/lines/unwatch'],
  watchTrip: ['POST', '/v2/trips/watch'],
  unwatchTrip: ['POST', '/v2/trips/unwatch'],
  getV1Health: ['GET', '/v1/health', 503],
  getV1Status: ['GET', '/v1/status'],
  getV1History: ['GET', '/v1/history'],
  getV1Predictions: ['GET', '/v1/predictions'],
  getV1PredictionBatch: ['POST', '/v1/predictions/batch'],
  getV1Vehicles: ['GET', '/v1/vehicles'],
  getV1Metro: ['GET', '/v1/city-transit/metro'],
  getV1Announcements: ['GET', '/v1/announcements'],
  getV1NetworkMaps: ['GET', '/v1/network-maps'],
};

const ACCEPT = 'application/json, application/schema+json, application/problem+json';

/** A response that is not a success: `problem` is the problem document of the service, or null if there was none. */
export class ProblemError extends Error {
  constructor(response, problem) {
    super(problem ? `${problem.title}: ${problem.detail}` : `HTTP status ${response.status}`);
    this.name = 'ProblemError';
    this.status = response.status;
    this.problem = problem;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  }
}

/** A client of the service at `baseUrl`. */
export function createClient({ baseUrl, installationToken, fetch = globalThis.fetch }) {
  const shared = { Accept: ACCEPT, ...(installationToken ? { 'X-Installation-Token': installationToken } : {}) };
  const send = async ([method, path, ...otherStatuses], input = {}, { signal } = {}) => {
    const request =
      method === 'POST'
        ? { method, headers: { ...shared, 'Content-Type': 'application/json' }, body: JSON.stringify(input), signal }
        : { method, headers: shared, signal };
    const response = await fetch(new URL(method === 'POST' ? path : writeAddress(path, input), baseUrl), request);
    if (response.ok || otherStatuses.includes(response.status)) return response.json();
    throw new ProblemError(response, await readProblem(response));
  };
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, (input, options) => send(operation, input, options)]),
  );
}

/** The path with its parameters filled in, and all others as a query. */
function writeAddress(path, input) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(input[name]));
  const query = Object.entries(input)
    .filter(([name, value]) => value !== undefined && !path.includes(`{${name}}`))
    .map(([name, value]) => `${name}=${encodeURIComponent(writeValue(value))}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** Items of a list are separated by commas; a comma or a percent sign within an item is encoded once more. */
function writeValue(value) {
  if (!Array.isArray(value)) return String(value);
  return value.map((item) => String(item).replace(/[%,]/g, encodeURIComponent)).join(',');
}

async function readProblem(response) {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return null;
  return response.json();
}
