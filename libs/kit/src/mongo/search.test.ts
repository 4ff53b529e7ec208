import { exactTerm, searchTerms, termsOf } from "./search.js";

test("termsOf returns all runs of three characters in lower case, each once", () => {
  expect(termsOf(["Deploy", "DEP"])).toEqual(["dep", "epl", "plo", "loy"]);
  expect(termsOf(["ab", ""])).toEqual([]);
  expect(termsOf(["a😀bc"])).toEqual(["a😀b", "😀bc"]);
});

test("the terms of a name include the search terms of every part of it", () => {
  const name = "Straße-İzmir-ΟΔΟΣ-ſtore-deploy_42";
  const terms = termsOf([name]);
  for (let start = 0; start < name.length; start++)
    for (let end = start + 1; end <= name.length; end++)
      // Text of another length after a change of case is not a part of the name.
      for (const part of [
        name.slice(start, end),
        name.slice(start, end).toUpperCase(),
        name.slice(start, end).toLowerCase(),
      ])
        if (part.length === end - start) expect(terms).toEqual(expect.arrayContaining(searchTerms(part)));
});

test("letters that match each other in a case-insensitive pattern have the same term", () => {
  const letters = Array.from({ length: 0x1_1000 }, (_, code) => String.fromCodePoint(code)).filter((letter) =>
    /\p{L}/u.test(letter),
  );
  const mismatches = letters.flatMap((letter) =>
    [letter.toLowerCase(), letter.toUpperCase()]
      .filter(
        (variant) =>
          variant !== letter &&
          new RegExp(`^${variant}$`, "iu").test(letter) &&
          exactTerm(variant) !== exactTerm(letter),
      )
      .map((variant) => `${letter} ${variant}`),
  );
  expect(mismatches).toEqual([]);
});

test("searchTerms returns the first, middle and last term of a text, and none below three characters", () => {
  expect(searchTerms("release-candidate")).toEqual(["rel", "-ca", "ate"]);
  expect(searchTerms("ABCD")).toEqual(["abc", "bcd"]);
  expect(searchTerms("ab")).toEqual([]);
});
