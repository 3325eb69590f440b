// The health check of the container, the same for every role: 0 while the process answers, also during its first ingest.
// Plain JavaScript without packages, as it runs twice a minute. `/ready` beside `/live` is for load balancers.
import process from 'node:process';

const PATIENCE_MILLISECONDS = 4000;

const address = `http://127.0.0.1:${process.env.TAKTGEBER_METRICS_PORT || 9464}/live`;
const complaint = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) }).then(
  ({ status }) => (status === 200 ? null : `${address} answers ${status}`),
  (error) => `${address}: ${error.cause?.message ?? error.message}`,
);
if (complaint !== null) process.stderr.write(`${complaint}\n`);
process.exitCode = complaint === null ? 0 : 1;
