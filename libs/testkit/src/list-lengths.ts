type Tester = (a: unknown, b: unknown) => boolean | undefined;

/** https://jestjs.io/docs/expect#expectaddequalitytesterstesters, which the types of jest lack. */
const { addEqualityTesters } = expect as unknown as { addEqualityTesters(testers: readonly Tester[]): void };

// By itself, jest takes [undefined] for [].
addEqualityTesters([(a, b) => (Array.isArray(a) && Array.isArray(b) && a.length !== b.length ? false : undefined)]);
