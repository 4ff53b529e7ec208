interface Owned {
  readonly userId: number;
}

const names = new Set<string>();

/** Something that the tab keeps for its user. The browser may deny us its storage. */
export function tabStorage<T extends Owned>(name: string) {
  names.add(name);
  return {
    keep(value: T): void {
      try {
        sessionStorage.setItem(name, JSON.stringify(value));
      } catch {}
    },
    /** Returns what is kept for a user. Removes what belongs to another one. */
    of(userId: number): T | undefined {
      try {
        const kept = JSON.parse(sessionStorage.getItem(name) ?? "null") as T | null;
        if (kept?.userId === userId) return kept;
        sessionStorage.removeItem(name);
      } catch {}
      return undefined;
    },
  };
}

/** Removes all that was typed. */
export function clearTab(): void {
  try {
    for (const name of names) sessionStorage.removeItem(name);
  } catch {}
}
