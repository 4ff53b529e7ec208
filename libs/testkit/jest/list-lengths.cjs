// By itself, jest takes [undefined] for [].
expect.addEqualityTesters([
  (a, b) => (Array.isArray(a) && Array.isArray(b) && a.length !== b.length ? false : undefined),
]);
