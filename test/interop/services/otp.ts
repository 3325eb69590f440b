import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../support/fakes/free-port.ts';
import { findJdk, getMavenFile } from './java.ts';
import { endWithProcess, makeServiceFolder, startService } from './service.ts';

const VERSION = '2.8.1';
const ARTIFACT = `org.opentripplanner:otp-shaded:${VERSION}`;
/** OpenTripPlanner is built for Java 21. */
const JAVA = [21, 25] as const;
const HEAP = '2g';
/** Includes building the graph. */
const READY_SECONDS = 300;
/** Feed id in its stop and trip ids. */
const FEED = 'feed';

interface OtpOptions {
  readonly zip: string;
  /** First and last service date that it reads. */
  readonly period: readonly [from: string, to: string];
  /** `routingDefaults` of its `router-config.json`. */
  readonly routing: Readonly<Record<string, unknown>>;
  readonly maxTransferSeconds: number;
  /** Limit of the Java heap, with its unit. */
  readonly heap?: string;
  /** Time limit for building the graph and starting. */
  readonly readySeconds?: number;
}

/** From one stop to another, by the ids of the feed. */
interface OtpQuestion {
  readonly from: string;
  readonly to: string;
  /** Local date `YYYY-MM-DD` and time `HH:MM:SS`. */
  readonly date: string;
  readonly time: string;
  /** `null`: the service decides. */
  readonly searchWindowSeconds: number | null;
}

/** A ride of an itinerary; times in seconds since 1970, ids as in the feed. */
export interface OtpRide {
  readonly tripId: string;
  readonly serviceDate: string;
  readonly fromStop: string;
  readonly toStop: string;
  readonly departure: number;
  readonly arrival: number;
}

export interface OtpPlan {
  /** The rides of each itinerary, without walks. */
  readonly itineraries: readonly (readonly OtpRide[])[];
  /** Codes of the reasons if there are no itineraries. */
  readonly errors: readonly string[];
}

export interface OtpService {
  readonly version: string;
  /** Time from start until it answers, including building the graph. */
  readonly startSeconds: number;
  plan(question: OtpQuestion): Promise<OtpPlan>;
  stop(): Promise<void>;
}

/**
 * Starts OpenTripPlanner on loopback with one feed and without streets, so that walks are straight lines.
 * @throws Error if it cannot be installed or cannot build a graph
 */
export async function startOtp(options: OtpOptions): Promise<OtpService> {
  const { zip, period, routing, maxTransferSeconds, heap = HEAP, readySeconds = READY_SECONDS } = options;
  const java = path.join(await findJdk(JAVA), 'bin', 'java');
  const jar = await getMavenFile(ARTIFACT);
  const { folder, remove } = await makeServiceFolder('otp');
  await copyFile(zip, path.join(folder, 'feed.gtfs.zip'));
  const build = {
    transitServiceStart: period[0],
    transitServiceEnd: period[1],
    maxTransferDuration: `${maxTransferSeconds}s`,
    transferRequests: [{ modes: 'WALK' }],
    transitFeeds: [{ type: 'gtfs', feedId: FEED, source: 'feed.gtfs.zip' }],
  };
  await writeFile(path.join(folder, 'build-config.json'), JSON.stringify(build));
  await writeFile(path.join(folder, 'router-config.json'), JSON.stringify({ routingDefaults: routing }));
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}/otp/gtfs/v1`;
  const started = performance.now();
  try {
    const running = await startService({
      name: 'OpenTripPlanner',
      program: java,
      args: [
        `-Xmx${heap}`,
        '-jar',
        jar,
        '--build',
        '--serve',
        '--bindAddress',
        '127.0.0.1',
        '--port',
        `${port}`,
        folder,
      ],
      readyMilliseconds: readySeconds * 1000,
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/otp/`)).ok,
    });
    return {
      version: VERSION,
      startSeconds: (performance.now() - started) / 1000,
      plan: (question) => plan(address, question),
      stop: endWithProcess(async () => {
        await running.stop();
        await remove();
      }),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns `HH:MM:SS` of a second of the day. */
export function toOtpTime(second: number): string {
  const digits = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return [second / 3600, (second / 60) % 60, second % 60].map(digits).join(':');
}

const QUERY = `query ($from: String!, $to: String!, $date: String!, $time: String!, $window: Long) {
  plan(fromPlace: $from, toPlace: $to, date: $date, time: $time, numItineraries: 200, searchWindow: $window,
       transportModes: [{mode: TRANSIT}, {mode: WALK}]) {
    itineraries { legs { startTime endTime serviceDate trip { gtfsId } from { stop { gtfsId } } to { stop { gtfsId } } } }
    routingErrors { code }
  }
}`;

interface OtpLeg {
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly endTime: number;
  readonly serviceDate: string | null;
  readonly trip: { readonly gtfsId: string } | null;
  readonly from: { readonly stop: { readonly gtfsId: string } | null };
  readonly to: { readonly stop: { readonly gtfsId: string } | null };
}

interface OtpAnswer {
  readonly errors?: readonly unknown[];
  readonly data?: {
    readonly plan: {
      readonly itineraries: readonly { readonly legs: readonly OtpLeg[] }[];
      readonly routingErrors: readonly { readonly code: string }[];
    };
  };
}

async function plan(address: string, { from, to, date, time, searchWindowSeconds }: OtpQuestion): Promise<OtpPlan> {
  const variables = { from: `${FEED}:${from}`, to: `${FEED}:${to}`, date, time, window: searchWindowSeconds };
  const response = await fetch(address, {
    method: 'POST',
    // OTP closes a connection after 256 requests; a request sent just then would fail.
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    body: JSON.stringify({ query: QUERY, variables }),
  });
  const answer = (await response.json()) as OtpAnswer;
  if (answer.errors || !answer.data) throw new Error(`OpenTripPlanner answers ${JSON.stringify(answer).slice(0, 500)}`);
  const { itineraries, routingErrors } = answer.data.plan;
  return {
    itineraries: itineraries.map(({ legs }) => legs.filter(({ trip }) => trip !== null).map(toRide)),
    errors: routingErrors.map(({ code }) => code),
  };
}

function toRide({ trip, serviceDate, from, to, startTime, endTime }: OtpLeg): OtpRide {
  const bare = (id: string) => id.slice(FEED.length + 1);
  return {
    tripId: bare(trip!.gtfsId),
    serviceDate: serviceDate!,
    fromStop: bare(from.stop!.gtfsId),
    toStop: bare(to.stop!.gtfsId),
    departure: startTime / 1000,
    arrival: endTime / 1000,
  };
}
