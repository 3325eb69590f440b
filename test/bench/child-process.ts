import process from 'node:process';
import { type ChildTask, childTasks } from './child-tasks.ts';

// What `child.ts` starts: one task by name, its result to the parent, and the end when the parent hangs up.
const run = childTasks[process.argv[2] as ChildTask] as (input: unknown) => Promise<unknown>;
process.once('disconnect', () => process.exit());
process.once('message', async (input) => process.send!(await run(input)));
