/** The run cannot begin as it was asked for. The message says how to mend that. */
export class Refused extends Error {}
