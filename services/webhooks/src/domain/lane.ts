/**
 * How long a webhook is taken for what it was when it was read. Whoever changes or removes one waits so long before
 * saying that it is done: from then on nothing begins that follows the old settings.
 */
export const trustMs = 50;
