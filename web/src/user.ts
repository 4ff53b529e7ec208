import { type components, record } from "@service-ci/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { client } from "./api.js";
import { type Loaded, useData } from "./data.js";

export type Account = components["schemas"]["Account"];

const Current = createContext<Account | undefined>(undefined);

/** Provides the signed-in user to the pages below it. */
export const UserProvider = Current.Provider;

/** Loads the signed-in user. */
export const useAccount = (): Loaded<Account> => useData("user", () => record(client.api.GET("/user")));

/** Returns the signed-in user; undefined without a session or before it is loaded. */
export const useUser = (): Account | undefined => useContext(Current);
