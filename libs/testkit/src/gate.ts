import type { Db } from "mongodb";

/** A point where a test can hold code. */
export interface Gate {
  /** Resolves when code has called `pass`. */
  readonly reached: Promise<void>;
  pass(): Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let reach = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pass = () => {
    reach();
    return opened;
  };
  return { reached, open, pass };
}

/** Returns a database whose ids wait for the gate. Handlers reserve an id between their checks and their write. */
export function idsBehind({ pass }: Pick<Gate, "pass">, db: Db): Db {
  const collection = (name: string) => {
    const real = db.collection(name);
    const findOneAndUpdate = async (...args: [object, object, object]) => {
      await pass();
      return real.findOneAndUpdate(...args);
    };
    return { findOneAndUpdate };
  };
  return { collection } as never as Db;
}
