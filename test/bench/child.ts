import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildTask, ChildTasks } from './child-tasks.ts';

const CHILD = fileURLToPath(
  new URL(`./child-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

type Input<Name extends ChildTask> = Parameters<ChildTasks[Name]>[0];
type Result<Name extends ChildTask> = Awaited<ReturnType<ChildTasks[Name]>>;

/** Runs a task in a process of its own, so that time and memory are its own as well, and ends the process. */
export async function runInChild<Name extends ChildTask>(name: Name, input: Input<Name>): Promise<Result<Name>> {
  const { result, stop } = await startInChild(name, input);
  await stop();
  return result;
}

/**
 * Starts a task whose process stays, e.g. a server.
 * @throws Error when the process ends before it has a result; what it said is on stderr
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
    child.once('exit', (code, signal) => reject(new Error(`the task ${name} ended early (${signal ?? code})`)));
  });
  return { result, stop: () => stopChild(child) };
}

function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    // The child ends itself when nobody is at the other end of the channel.
    if (child.connected) child.disconnect();
  });
}
