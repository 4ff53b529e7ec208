import type { Client } from "ssh2";

export interface Connections {
  /** Does work on a connection that nothing else uses meanwhile. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
}

/**
 * Gives each of the scripts that run at the same time a connection of its own: Dropbear 2022.82 to 2024.85 may lose a
 * command, and later the whole connection, if another command on it ends at that moment. Opens one connection at a time,
 * because servers refuse too many logins at once. If a guest accepts no further one, its scripts share the first.
 */
export function connectionsOf(first: Client, open: () => Promise<Client>): Connections {
  const idle = [first];
  let opening: Promise<unknown> = Promise.resolve();

  function another(): Promise<Client> {
    const opened = opening.then(() => idle.pop() ?? open()).catch(() => first);
    opening = opened;
    return opened;
  }

  return {
    async use(work) {
      const client = idle.pop() ?? (await another());
      try {
        return await work(client);
      } finally {
        if (!idle.includes(client)) idle.push(client);
      }
    },
  };
}
