import type { Db } from "mongodb";

/** A point where a test can hold code. */
export interface Gate {
  /** Resolves when code has arrived. */
  readonly reached: Promise<void>;
  /** Resolves when the gate is open. */
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

/**
 * A database that hands out ids only when the gate is open. Every handler reserves an id between its checks and its
 * write, so it stalls exactly there.
 */
export function idsBehind({ pass }: Pick<Gate, "pass">, db: Db): Db {
  const collection = (name: string) => {
    const real = db.collection(name);
    const findOneAndUpdate = async (...ask: [object, object, object]) => {
      await pass();
      return real.findOneAndUpdate(...ask);
    };
    return { findOneAndUpdate };
  };
  return { collection } as never as Db;
}
