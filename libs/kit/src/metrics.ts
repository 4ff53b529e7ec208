import { Registry } from "prom-client";

/** What /metrics shows. One registry for the process: several services of one process share it. */
export const metrics = new Registry();
