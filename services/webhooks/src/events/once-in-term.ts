import type { Lease } from "@ci/kit/mongo/lease";

export interface OnceInTerm<T> {
  get(): Promise<T>;
  /** Makes the next `get` load again. */
  forget(): void;
}

/** Loads something once in each term of a lease, because other processes may change it between two terms. */
export function onceInTerm<T>({ term }: Pick<Lease, "term">, load: () => Promise<T>): OnceInTerm<T> {
  let known: { readonly term: number | undefined; readonly loaded: Promise<T> } | undefined;
  const forget = () => {
    known = undefined;
  };
  return {
    forget,
    get() {
      const current = term();
      if (known?.term !== current) forget();
      if (known) return known.loaded;
      const loading = { term: current, loaded: load() };
      loading.loaded.catch(() => {
        if (known === loading) forget();
      });
      known = loading;
      return loading.loaded;
    },
  };
}
