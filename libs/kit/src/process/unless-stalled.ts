import { Fault } from "../rpc/fault.js";

/** How long to wait before checking whether the database still responds. */
const patienceMs = 1_500;

/**
 * Waits for work on the database, but throws Fault `unavailable` once `ping` fails: an operation on a dead connection
 * would never end. Slow work is fine. After the Fault, the outcome of the work is unknown.
 */
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
