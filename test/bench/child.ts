import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildTask, ChildTasks } from './child-tasks.ts';

const CHILD = fileURLToPath(
  new URL(`./child-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

type Input<Name extends ChildTask> = Parameters<ChildTasks[Name]>[0];
type Result<Name extends ChildTask> = Awaited<ReturnType<ChildTasks[Name]>>;

/** Runs a task in a separate process, so that its time and memory can be measured, and ends the process. */
export async function runInChild<Name extends ChildTask>(name: Name, input: Input<Name>): Promise<Result<Name>> {
  const { result, stop } = await startInChild(name, input);
  await stop();
  return result;
}

/**
 * Starts a task whose process keeps running, e.g. a server.
 * @throws Error if the process ends without a result; its output is on stderr
 */
export async function startInChild<Name extends ChildTask>(
  name: Name,
  input: Input<Name>,
): Promise<{ result: Result<Name>; stop: () => Promise<void> }> {
  const child = fork(CHILD, [name], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const result = await new Promise<Result<Name>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Result<Name>));
    child.once('error', reject);
    child.send(input);
    child.once('exit', (code, signal) =>
      reject(new Error(`the task ${name} ended without a result (${signal ?? code})`)),
    );
  });
  return { result, stop: () => stopChild(child) };
}

function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    // The child exits once the parent disconnects the channel.
    if (child.connected) child.disconnect();
  });
}
