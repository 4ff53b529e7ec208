import { Fault } from "./fault.js";

const patienceMs = 1_500;

/** Awaits `work`, but throws Fault `unavailable` once `ping` fails: `work` would never end on a dead connection. */
export function unlessStalled<T>(work: Promise<T>, ping: () => Promise<unknown>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const checkLater = () => {
      timer = setTimeout(() => {
        ping().then(checkUnlessDone, (cause) =>
          reject(new Fault("unavailable", "Service unavailable", undefined, { cause })),
        );
      }, patienceMs);
    };
    let done = false;
    const checkUnlessDone = () => {
      if (!done) checkLater();
    };
    checkLater();
    work.then(resolve, reject).finally(() => {
      done = true;
      clearTimeout(timer);
    });
  });
}
