/** The run cannot begin as requested. The message says how to fix that. */
export class Refused extends Error {}
