import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { StreetAction, StreetEngine } from './street-engine.ts';

interface Question {
  readonly number: number;
  readonly action: StreetAction;
  readonly query: string;
}

type Reply = { readonly number: number; readonly answer: string } | { readonly number: number; readonly words: string };

interface Asker {
  resolve(answer: string): void;
  reject(error: Error): void;
}

/**
 * Answers what another thread asks an engine of this one.
 * @returns the other thread's end; when that thread ends, this one lets go of it
 */
export function offerEngine(engine: StreetEngine): MessagePort {
  const { port1: here, port2: there } = new MessageChannel();
  here.on('message', async ({ number, action, query }: Question) => {
    here.postMessage(await answer(engine, number, action, query));
  });
  here.unref();
  return there;
}

/** The engine that another thread offers; who waits for an answer keeps this thread alive. */
export function joinEngine(port: MessagePort): StreetEngine {
  const waiting = new Map<number, Asker>();
  let asked = 0;
  const take = (number: number) => {
    const asker = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) port.unref();
    return asker;
  };
  port.on('message', (reply: Reply) => {
    const asker = take(reply.number);
    if ('answer' in reply) asker?.resolve(reply.answer);
    else asker?.reject(new Error(reply.words));
  });
  port.on('close', () => {
    for (const number of [...waiting.keys()])
      take(number)?.reject(new Error('the thread of the street engine has ended'));
  });
  port.unref();
  return {
    ask: (action, query) =>
      new Promise((resolve, reject) => {
        waiting.set(++asked, { resolve, reject });
        port.ref();
        port.postMessage({ number: asked, action, query } satisfies Question);
      }),
  };
}

async function answer(engine: StreetEngine, number: number, action: StreetAction, query: string): Promise<Reply> {
  try {
    return { number, answer: await engine.ask(action, query) };
  } catch (error) {
    return { number, words: error instanceof Error ? error.message : String(error) };
  }
}
