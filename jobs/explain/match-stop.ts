import { nameWords, queryWords } from '../../pipeline/model/stop-name.ts';

/** Returns a test of whether the name of a stop has every word of a text; the last word may be its beginning. */
export function createNameTest(text: string): (name: string) => boolean {
  const wanted = queryWords(text);
  if (wanted.length === 0) return () => false;
  return (name) => {
    const words = nameWords(name);
    return wanted.every(({ forms, isComplete }) =>
      forms.some((form) =>
        words.some((word) =>
          [word.text, word.written].some((own) => (isComplete ? own === form : own.startsWith(form))),
        ),
      ),
    );
  };
}
