/**
 * Measures a number of times, one after another.
 * @template T
 * @param {number} times
 * @param {() => Promise<T>} measure
 * @returns {Promise<T[]>}
 */
export const of = async (times, measure) => {
  const values = [];
  for (let n = 0; n < times; n++) values.push(await measure());
  return values;
};

/**
 * Returns the first quartile, the median and the third quartile.
 * @param {number[]} values
 */
export const quartiles = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.round((sorted.length - 1) * part)]);
};

/** @param {number[]} values milliseconds */
export const ms = (values) => `${values.map((value) => value.toFixed(1)).join(" .. ")} ms (quartiles and median)`;

/**
 * @param {number[]} values
 * @param {number} part 0 to 1
 */
export const quantile = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.round((values.length - 1) * part)] ?? Number.NaN;
