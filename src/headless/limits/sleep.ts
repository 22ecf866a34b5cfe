/** Waits, unless Ctrl-C comes first. */
export function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((settle) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      settle();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
