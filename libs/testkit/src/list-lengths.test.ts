test("lists of different lengths are never equal", () => {
  expect([undefined]).not.toEqual([]);
  expect({ list: [1, undefined] }).not.toMatchObject({ list: [1] });
  expect({ list: [1] }).toEqual({ list: [expect.any(Number)] });
});
