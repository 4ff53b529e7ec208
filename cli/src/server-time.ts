import { serverClock } from "@service-ci/client";

export const serverTime = serverClock();
