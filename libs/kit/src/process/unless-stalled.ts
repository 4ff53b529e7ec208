import { Fault } from "../rpc/fault.js";

/** How long an answer is waited for before anybody asks whether it can still come. */
const patienceMs = 1_500;

/**
 * Waits for work that needs the database, and gives it up when `ping` says that the database does not answer: an
 * operation on a connection that nobody serves would never end. Work that takes long is waited for.
 * @throws Fault `unavailable`; what the work comes to then is unknown
 */
export function unlessStalled<T>(work: Promise<T>, ping: () => Promise<unknown>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const lookLater = () => {
      timer = setTimeout(() => {
        ping().then(lookUnlessDone, (cause) =>
          reject(new Fault("unavailable", "Service unavailable", undefined, { cause })),
        );
      }, patienceMs);
    };
    let done = false;
    const lookUnlessDone = () => {
      if (!done) lookLater();
    };
    lookLater();
    work.then(resolve, reject).finally(() => {
      done = true;
      clearTimeout(timer);
    });
  });
}
