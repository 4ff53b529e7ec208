/** Settings of a gateway without limits on the rate of requests: how many a test sends in a minute depends on the machine. */
export const anyRate = { REQUESTS_PER_MINUTE: "0", ANONYMOUS_REQUESTS_PER_MINUTE: "0" } as const;
