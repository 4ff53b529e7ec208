/** Hidden pages have no frames. */
const hiddenMs = 500;

/** Runs `work` with the next frame, or soon if the page is hidden. */
export function frames(work: () => void) {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
  };
  const run = () => {
    cancel();
    work();
  };
  return {
    cancel,
    request() {
      if (frame) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, hiddenMs);
    },
  };
}
