import { exactTerm, searchTerms, termsOf } from "./search.js";

test("terms are all runs of three characters, each once and without case", () => {
  expect(termsOf(["Deploy", "DEP"])).toEqual(["dep", "epl", "plo", "loy"]);
  expect(termsOf(["ab", ""])).toEqual([]);
  expect(termsOf(["a😀bc"])).toEqual(["a😀b", "😀bc"]);
});

test("a name has the search terms of every part of it", () => {
  const name = "Straße-İzmir-ΟΔΟΣ-ſtore-deploy_42";
  const terms = termsOf([name]);
  for (let from = 0; from < name.length; from++)
    for (let to = from + 1; to <= name.length; to++)
      // A change of case may change the number of characters, which makes another text.
      for (const part of [name.slice(from, to), name.slice(from, to).toUpperCase(), name.slice(from, to).toLowerCase()])
        if (part.length === to - from) expect(terms).toEqual(expect.arrayContaining(searchTerms(part)));
});

test("letters that match each other in a case-insensitive pattern have the same term", () => {
  const letters = Array.from({ length: 0x1_1000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
    /\p{L}/u.test(one),
  );
  const different = letters.flatMap((one) =>
    [one.toLowerCase(), one.toUpperCase()]
      .filter(
        (other) => other !== one && new RegExp(`^${other}$`, "iu").test(one) && exactTerm(other) !== exactTerm(one),
      )
      .map((other) => `${one} ${other}`),
  );
  expect(different).toEqual([]);
});

test("a long search has three terms, from its beginning, middle and end; one below three characters has none", () => {
  expect(searchTerms("release-candidate")).toEqual(["rel", "-ca", "ate"]);
  expect(searchTerms("ABCD")).toEqual(["abc", "bcd"]);
  expect(searchTerms("ab")).toEqual([]);
});
