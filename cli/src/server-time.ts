import { serverClock } from "@service-ci/client";

/** The clock of the server that this process talks to. */
export const serverTime = serverClock();
