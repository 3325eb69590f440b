import { spawn } from 'node:child_process';
import { ExternalError } from './external-error.ts';
import { sendOnce } from './http.ts';

/** Passes a text to something outside of this process. @throws ExternalError with a message that holds no secret */
export type Deliver = (json: string) => Promise<void>;

const MAX_ERROR_CHARACTERS = 300;

/**
 * Runs a program, without a shell, with the text as its input.
 * @param argv the program and its arguments
 * @throws ExternalError `command_failed`: it cannot be started, ends with another code than 0, or takes too long
 */
export function deliverToCommand(argv: readonly string[], timeoutSeconds: number): Deliver {
  const [program = '', ...args] = argv;
  return (json) =>
    new Promise((resolve, reject) => {
      const fail = (reason: string) =>
        reject(new ExternalError('command_failed', `${program} ${reason}`, { isRetryable: true }));
      const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
      let errorOutput = '';
      child.stderr.on('data', (chunk: Buffer) => {
        errorOutput = `${errorOutput}${chunk}`.slice(-MAX_ERROR_CHARACTERS);
      });
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail(`took more than ${timeoutSeconds} s`);
      }, timeoutSeconds * 1000);
      child.once('error', (error) => {
        clearTimeout(timer);
        fail(`cannot be started: ${error.message}`);
      });
      // Not `close`: a program that it leaves behind may hold the stream open.
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        child.stderr.destroy();
        if (code === 0) resolve();
        else fail(`ended with ${code ?? signal}${errorOutput === '' ? '' : `: ${errorOutput.trim()}`}`);
      });
      // A program that does not read its input closes it.
      child.stdin.on('error', () => {});
      child.stdin.end(json);
    });
}

/**
 * Posts the text as JSON. Redirects are not followed: the operator chooses which host receives which text.
 * @throws ExternalError `webhook_failed`, retryable unless the answer is a status from 300 to 499 other than 408 and 429
 */
export function deliverToWebhook(url: string, timeoutSeconds: number): Deliver {
  // The address may hold a key.
  const { origin } = new URL(url);
  return async (json) => {
    const response = await post(url, json, timeoutSeconds).catch((cause: Error) => {
      const reason = cause.name === 'TimeoutError' ? `did not answer within ${timeoutSeconds} s` : 'cannot be reached';
      throw new ExternalError('webhook_failed', `${origin} ${reason}`, { cause, isRetryable: true });
    });
    await response.body?.cancel();
    const { ok, status } = response;
    if (ok) return;
    const isRetryable = status >= 500 || status === 408 || status === 429;
    throw new ExternalError('webhook_failed', `${origin} answered ${status}`, { isRetryable });
  };
}

function post(url: string, body: string, timeoutSeconds: number) {
  return sendOnce(new URL(url), {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'user-agent': 'taktgeber' },
    signal: AbortSignal.timeout(timeoutSeconds * 1000),
  });
}
