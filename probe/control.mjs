export const control = async (/** @type {string[] | undefined} */ _only) => 1;
