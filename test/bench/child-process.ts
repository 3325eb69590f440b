import process from 'node:process';
import { type ChildTask, childTasks } from './child-tasks.ts';

// Entry point of child processes, started by `child.ts`: runs one task by name, sends its result to the parent, and ends
// when the parent disconnects.
const run = childTasks[process.argv[2] as ChildTask] as (input: unknown) => Promise<unknown>;
process.once('disconnect', () => process.exit());
process.once('message', async (input) => process.send!(await run(input)));
