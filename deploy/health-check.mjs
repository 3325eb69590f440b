// Tells an orchestrator whether a role is well, by its exit code: `node health-check.mjs api|jobs`. Plain JavaScript
// without packages, as it runs twice a minute.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

const PATIENCE_MILLISECONDS = 4000;
/** A living schedule renews its lock every 30 seconds. */
const MAX_LOCK_AGE_MILLISECONDS = 120_000;

const checks = {
  api: async ({ TAKTGEBER_PORT: port }) => {
    const address = `http://127.0.0.1:${port || 8080}/v1/health`;
    const { status } = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) });
    return status === 200 ? null : `${address} answers ${status}`;
  },
  jobs: async ({ TAKTGEBER_DATA: dataDir }) => {
    const lock = path.join(dataDir || 'data', 'jobs', 'service.lock');
    const ageMilliseconds = Date.now() - (await stat(lock)).mtimeMs;
    return ageMilliseconds < MAX_LOCK_AGE_MILLISECONDS ? null : `${lock} has not been renewed for two minutes`;
  },
};

const role = process.argv[2] ?? '';
const check = checks[role] ?? (async () => `usage: health-check.mjs ${Object.keys(checks).join('|')}`);
const complaint = await check(process.env).catch((error) => error.message);
if (complaint !== null) process.stderr.write(`${complaint}\n`);
process.exitCode = complaint === null ? 0 : 1;
