import { type components, record } from "@service-ci/client";
import { createContext } from "preact";
import { useContext, useLayoutEffect } from "preact/hooks";
import { client, isUnauthorized, onUnauthorized } from "./api.js";
import { type Loaded, useData } from "./data.js";

export type Account = components["schemas"]["Account"];

const Current = createContext<Account | undefined>(undefined);

/** Provides the signed-in user to the pages below it. */
export const UserProvider = Current.Provider;

const rememberedAs = "service-ci-user";

/** Returns who is signed in, as far as this browser remembers. It may deny us its storage. */
export function rememberedUser(): string | undefined {
  try {
    return localStorage.getItem(rememberedAs) ?? undefined;
  } catch {
    return undefined;
  }
}

export function rememberUser(username: string | undefined): void {
  try {
    if (username === undefined) localStorage.removeItem(rememberedAs);
    else localStorage.setItem(rememberedAs, username);
  } catch {}
}

async function account(): Promise<Account> {
  try {
    const user = await record(client.api.GET("/user"));
    rememberUser(user.username);
    return user;
  } catch (error) {
    if (isUnauthorized(error)) rememberUser(undefined);
    throw error;
  }
}

/** Calls `check` when another tab signs in or out, and for browsers without storage when the page becomes visible. */
function onOtherTab(check: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const onStorage = ({ key }: StorageEvent) => (key === rememberedAs || key === null) && check();
  addEventListener("storage", onStorage, { signal });
  document.addEventListener("visibilitychange", () => document.hidden || check(), { signal });
  return () => stopping.abort();
}

/** Reloads the page if the browser's session now belongs to another user: what the page shows belongs to the old one. */
async function requireUser({ id }: Account): Promise<void> {
  const current = await record(client.api.GET("/user"));
  if (current.id !== id) location.reload();
}

/** Loads the signed-in user, and forgets the user when the session has ended. */
export function useAccount(): Loaded<Account> {
  const { data, ...loaded } = useData("user", account);
  const { liveness, reload } = loaded;
  const signedIn = data !== undefined && liveness !== "ended";
  useLayoutEffect(() => (signedIn ? onUnauthorized(reload) : undefined), [signedIn]);
  useLayoutEffect(() => data && onOtherTab(() => requireUser(data).catch(() => undefined)), [data?.id]);
  return { ...loaded, data: signedIn ? data : undefined };
}

/** Returns the signed-in user; undefined without a session or before it is loaded. */
export const useUser = (): Account | undefined => useContext(Current);
