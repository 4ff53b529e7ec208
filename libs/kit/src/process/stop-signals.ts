const hurry = new AbortController();
let received = 0;

const toEnd = new Promise<undefined>((resolve) => {
  const onSignal = () => {
    received++;
    resolve(undefined);
    if (received === 2) hurry.abort();
    if (received > 2) process.exit(1);
  };
  // The first process of a container ignores signals without a handler, and loading a service takes seconds on a busy machine.
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
});

/** From the loading of this file on, the first SIGTERM or SIGINT ends the process, the second hurries, the third exits at once. */
export const stopSignals: { readonly toEnd: Promise<undefined>; readonly hurry: AbortSignal } = {
  toEnd,
  hurry: hurry.signal,
};
