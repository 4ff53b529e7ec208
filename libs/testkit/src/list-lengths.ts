// By itself, jest takes [undefined] for [].
expect.addEqualityTesters([
  (a: unknown, b: unknown) => (Array.isArray(a) && Array.isArray(b) && a.length !== b.length ? false : undefined),
]);
