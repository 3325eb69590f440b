/** Memoises the last result: computes again only if the input changes. */
export function rememberLast<Input, Output>(compute: (input: Input) => Output): (input: Input) => Output {
  let last: { readonly input: Input; readonly output: Output } | null = null;
  return (input) => {
    if (last?.input !== input) last = { input, output: compute(input) };
    return last.output;
  };
}
