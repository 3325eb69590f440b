import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { HttpAnswer } from '../../pipeline/effects/http.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { MvoPlatform } from '../../pipeline/timetable/feed/mvo-platform.ts';
import { beginsAsZip, PATIENCE_SECONDS } from './begins-as-zip.ts';
import { bad, type Examined, type Finding, good } from './finding.ts';

interface DataSetSource {
  readonly id: SourceId;
  readonly dataSet: number;
}

/** Checks the account at the platform of the Mobilitätsverbünde, then access to each configured data set. */
export async function checkMvo(
  { config, effects, signal }: Examined,
  noteClock: (answer: HttpAnswer) => void,
): Promise<Finding[]> {
  const sources = config.sources.flatMap((source) => (source.kind === 'mvo' ? source : []));
  if (sources.length === 0) return [];
  const http: typeof effects.http = (request) => effects.http({ ...request, signal });
  const platform = new MvoPlatform(config.mvo, { http, clock: effects.clock });
  const account = await checkAccount(platform);
  const configured = sources.map(({ dataSet }) => dataSet);
  const findings = [account];
  for (const source of sources) {
    findings.push(await checkDataSet(source, configured, platform, account.status === 'good' ? noteClock : null));
  }
  return findings;
}

async function checkAccount(platform: MvoPlatform): Promise<Finding> {
  const about = 'account mvo';
  try {
    await platform.logIn();
    return good(about, 'the platform accepts the user and password');
  } catch (error) {
    const remedy = 'register at the platform and set mvo.user and mvo.password, e.g. by TAKTGEBER_MVO_PASSWORD';
    return fail(about, error, remedy);
  }
}

/** @param noteClock null: there is no usable account, so only the list of data sets is checked */
async function checkDataSet(
  { id, dataSet }: DataSetSource,
  configured: readonly number[],
  platform: MvoPlatform,
  noteClock: ((answer: HttpAnswer) => void) | null,
): Promise<Finding> {
  const about = `source ${id}`;
  try {
    await platform.refusePlainTwin(dataSet, configured);
    const { year, address } = (await platform.listFiles(dataSet)).at(-1)!;
    if (noteClock === null) return good(about, `data set ${dataSet} has a file of ${year}, which needs the account`);
    const request = { url: address, timeoutSeconds: PATIENCE_SECONDS, maxBytes: Number.MAX_SAFE_INTEGER };
    const answer = await platform.http(request);
    noteClock(answer);
    if (await beginsAsZip(answer)) return good(about, `data set ${dataSet} answers with a zip of ${year}`);
    return bad(about, `data set ${dataSet} does not answer with a zip`, `open ${address} in a browser`);
  } catch (error) {
    return fail(about, await platform.explain(error, dataSet), 'see docs/austria.md');
  }
}

function fail(about: string, error: unknown, remedy: string): Finding {
  if (!(error instanceof ExternalError)) throw error;
  return bad(about, error.message, remedy);
}
