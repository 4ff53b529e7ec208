import type { Db } from "mongodb";

/** A point that code comes to and may be held at. */
export interface Gate {
  /** Resolves when somebody has come. */
  readonly reached: Promise<void>;
  /** Resolves when it is open. */
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
 * A database that gives ids only when the gate is open. Every handler reserves an id after all its checks and before
 * its write, so it stalls exactly there.
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
