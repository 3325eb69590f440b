import { type Clock, nowInstant } from '../../effects/clock.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { type Http, type HttpRequest, HttpStatusError, readBody } from '../../effects/http.ts';
import { AUSTRIA, type Instant, localDate } from '../../model/service-time.ts';
import { type DataSet, parseDataSets, parseYears } from './mvo-answers.ts';
import { chooseTimetableYears } from './timetable-year.ts';

/** Account and addresses of the data platform of the Mobilitätsverbünde. */
export interface MvoSettings {
  /** Address of the API. */
  readonly url: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Null: not configured. */
  readonly user: string | null;
  readonly password: string | null;
}

/** The file of a data set for one timetable year. */
interface DataSetFile {
  readonly year: number;
  readonly address: string;
}

interface Token {
  readonly value: string;
  readonly expiresAt: Instant;
}

const TIMEOUT_SECONDS = 30;
/** The list of a few dozen data sets is some hundred kilobytes. */
const MAX_BYTES = 16 << 20;
/** A token is renewed this long before it expires. */
const TOKEN_SLACK_SECONDS = 20;

/**
 * The platform during one run: the list of data sets and the token are requested once, the token again when it expires.
 * Every failure names the account, the data set or the address, and says what to do; no message has user or password.
 */
export class MvoPlatform {
  readonly #settings: MvoSettings;
  readonly #effects: { readonly http: Http; readonly clock: Clock };
  #token: Token | null = null;
  #dataSets: Promise<readonly DataSet[]> | null = null;

  constructor(settings: MvoSettings, effects: { readonly http: Http; readonly clock: Clock }) {
    this.#settings = settings;
    this.#effects = effects;
  }

  /** Whether a transfer that began with the current token may have been ended by its expiry. */
  get isTokenExpired(): boolean {
    return this.#token !== null && nowInstant(this.#effects.clock) >= this.#token.expiresAt;
  }

  /** Gets a token. @throws ExternalError `mvo_account_missing`, `mvo_login_refused`, and those of `Http` */
  async logIn(): Promise<void> {
    await this.#getToken();
  }

  /**
   * Sends a request with a token. A token that the platform refuses is renewed once.
   * @throws ExternalError `mvo_account_missing`, `mvo_login_refused`, `mvo_token_refused`, and those of `Http`
   */
  readonly http: Http = async (request) => {
    try {
      return await this.#sendWithToken(request);
    } catch (error) {
      if (!isStatus(error, 401)) throw error;
      this.#token = null;
    }
    try {
      return await this.#sendWithToken(request);
    } catch (error) {
      if (!isStatus(error, 401)) throw error;
      const sentence =
        'the MVO platform refuses the token that it has just issued; check mvo.clientId and mvo.tokenUrl';
      throw new ExternalError('mvo_token_refused', sentence, { cause: error });
    }
  };

  /**
   * The files of a data set to fetch now: of the newest active timetable year and, until that begins, of the one before.
   * @returns at least one, in rising order of years
   * @throws ExternalError `mvo_data_set_unknown`, `mvo_no_active_version`, `mvo_answer_unreadable`, and those of `http`
   */
  async listFiles(id: number): Promise<readonly DataSetFile[]> {
    const dataSet = await this.getDataSet(id);
    const active = dataSet.activeYears.length > 0 ? dataSet.activeYears : await this.#fetchActiveYears(id);
    const years = chooseTimetableYears(active, localDate(nowInstant(this.#effects.clock), AUSTRIA));
    if (years.length === 0 || !dataSet.isActive) {
      const sentence = `${describe(dataSet)} has no active version at present; the platform may be replacing it`;
      throw new ExternalError('mvo_no_active_version', sentence);
    }
    return years.map((year) => ({ year, address: `${this.#settings.url}/data-sets/${id}/${year}/file` }));
  }

  /**
   * The data set of an id.
   * @throws ExternalError `mvo_data_set_unknown`, with the ids that the platform has
   */
  async getDataSet(id: number): Promise<DataSet> {
    const all = await this.#listDataSets();
    const found = all.find((dataSet) => dataSet.id === id);
    if (found) return found;
    const timetables = all.filter(({ isTimetable }) => isTimetable).map((one) => `${one.id} "${one.name}"`);
    const known = timetables.length > 0 ? `it has ${timetables.join(', ')}` : 'it lists no GTFS data set';
    const sentence = `the MVO platform has no data set ${id}: ${known}; correct dataSet of this source`;
    throw new ExternalError('mvo_data_set_unknown', sentence);
  }

  /**
   * Refuses a plain edition where the Flex edition, which contains all of it, is configured too.
   * @throws ExternalError `mvo_flex_twin`
   */
  async refusePlainTwin(id: number, configured: readonly number[]): Promise<void> {
    if (configured.length < 2) return;
    const { name } = await this.getDataSet(id);
    const all = await this.#listDataSets();
    const flex = all.find((one) => configured.includes(one.id) && one.name !== name && toPlainName(one.name) === name);
    if (flex === undefined) return;
    const sentence = `data set ${id} "${name}" is contained in its Flex edition ${flex.id} "${flex.name}", which is configured too; remove the source of ${id}`;
    throw new ExternalError('mvo_flex_twin', sentence);
  }

  /** Explains a failed download of a data set; other errors are returned unchanged. */
  async explain(error: unknown, id: number): Promise<unknown> {
    if (isStatus(error, 403)) {
      const { name, termsUrl } = await this.getDataSet(id);
      const terms = termsUrl === null ? '' : ` (${termsUrl})`;
      const sentence = `the MVO platform denies the account data set ${id} "${name}"; log in there and accept its terms of use${terms}`;
      return new ExternalError('mvo_terms_not_accepted', sentence, { cause: error });
    }
    if (isStatus(error, 404)) {
      const sentence = `the MVO platform lists a version of data set ${id}, but has no file of it: ${error.message}`;
      return new ExternalError('mvo_file_missing', sentence, { cause: error });
    }
    return error;
  }

  #listDataSets(): Promise<readonly DataSet[]> {
    this.#dataSets ??= this.#fetchJson('/data-sets?tagFilterModeInclusive=true').then(parseDataSets);
    return this.#dataSets;
  }

  /** At times the list of data sets lacks versions that this list has. */
  async #fetchActiveYears(id: number): Promise<readonly number[]> {
    try {
      return parseYears(await this.#fetchJson(`/data-sets/${id}/versions/active`));
    } catch (error) {
      if (isStatus(error, 404)) return [];
      throw error;
    }
  }

  async #fetchJson(path: string): Promise<unknown> {
    const url = `${this.#settings.url}${path}`;
    const headers = { accept: 'application/json' };
    // The lists are public, so that they can be read before there is an account.
    return readJson(this.#effects.http, { url, headers, timeoutSeconds: TIMEOUT_SECONDS, maxBytes: MAX_BYTES });
  }

  async #sendWithToken(request: HttpRequest) {
    const headers = { ...request.headers, authorization: `Bearer ${await this.#getToken()}` };
    return this.#effects.http({ ...request, headers });
  }

  async #getToken(): Promise<string> {
    const now = nowInstant(this.#effects.clock);
    if (this.#token === null || now >= this.#token.expiresAt - TOKEN_SLACK_SECONDS)
      this.#token = await this.#login(now);
    return this.#token.value;
  }

  async #login(now: Instant): Promise<Token> {
    const { user, password, clientId, tokenUrl } = this.#settings;
    if (user === null || password === null) {
      const sentence = 'sources of kind mvo need an account: set mvo.user and mvo.password (docs/austria.md)';
      throw new ExternalError('mvo_account_missing', sentence);
    }
    const form = { grant_type: 'password', client_id: clientId, username: user, password, scope: 'openid' };
    const answer = await this.#requestToken({
      url: tokenUrl,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      timeoutSeconds: TIMEOUT_SECONDS,
      maxBytes: MAX_BYTES,
    });
    const { access_token: value, expires_in: seconds } = (answer ?? {}) as Record<string, unknown>;
    if (typeof value !== 'string' || value === '') {
      throw new ExternalError('mvo_answer_unreadable', `${tokenUrl} answers without an access_token`);
    }
    // Without a lifetime, the token is used until it is refused.
    const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds : Number.MAX_SAFE_INTEGER - now;
    return { value, expiresAt: (now + lifetime) as Instant };
  }

  async #requestToken(request: HttpRequest): Promise<unknown> {
    try {
      return await readJson(this.#effects.http, request);
    } catch (error) {
      if (!isStatus(error, 400) && !isStatus(error, 401)) throw error;
      const sentence = `the MVO platform refuses user or password (${error.status}); check mvo.user and mvo.password`;
      throw new ExternalError('mvo_login_refused', sentence, { cause: error });
    }
  }
}

/** Name of the plain edition of a data set, by which the platform names both. */
function toPlainName(name: string): string {
  return name.replace(/ Flex\b/i, '');
}

function describe({ id, name }: DataSet): string {
  return `data set ${id} "${name}" of the MVO platform`;
}

function isStatus(error: unknown, status: number): error is HttpStatusError {
  return error instanceof HttpStatusError && error.status === status;
}

/** @throws ExternalError `mvo_answer_unreadable` for an answer other than JSON, such as the page of a proxy */
async function readJson(http: Http, request: HttpRequest): Promise<unknown> {
  const { body } = await http(request);
  const text = Buffer.from(body ? await readBody(body) : []).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { origin, pathname } = new URL(request.url);
    const sentence = `${origin}${pathname} did not return JSON: ${text.trim().slice(0, 80)}`;
    throw new ExternalError('mvo_answer_unreadable', sentence, { cause, isRetryable: true });
  }
}
