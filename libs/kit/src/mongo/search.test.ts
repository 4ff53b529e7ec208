import { exactTerm, searchTerms, termsOf } from "./search.js";

test("three characters in a row, each run once, without case", () => {
  expect(termsOf(["Deploy", "DEP"])).toEqual(["dep", "epl", "plo", "loy"]);
  expect(termsOf(["ab", ""])).toEqual([]);
  expect(termsOf(["a😀bc"])).toEqual(["a😀b", "😀bc"]);
});

test("whatever part of a name is searched for, the name has its terms", () => {
  const name = "Straße-İzmir-ΟΔΟΣ-ſtore-deploy_42";
  const terms = termsOf([name]);
  for (let from = 0; from < name.length; from++)
    for (let to = from + 1; to <= name.length; to++)
      // Only where the case of letters changes their number is an upper-case text another text.
      for (const part of [name.slice(from, to), name.slice(from, to).toUpperCase(), name.slice(from, to).toLowerCase()])
        if (part.length === to - from) expect(terms).toEqual(expect.arrayContaining(searchTerms(part)));
});

test("letters that a regular expression takes for the same are the same", () => {
  const letters = Array.from({ length: 0x1_1000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
    /\p{L}/u.test(one),
  );
  const apart = letters.flatMap((one) =>
    [one.toLowerCase(), one.toUpperCase()]
      .filter(
        (other) => other !== one && new RegExp(`^${other}$`, "iu").test(one) && exactTerm(other) !== exactTerm(one),
      )
      .map((other) => `${one} ${other}`),
  );
  expect(apart).toEqual([]);
});

test("a long search has three terms, from its beginning, middle and end; a short one none", () => {
  expect(searchTerms("release-candidate")).toEqual(["rel", "-ca", "ate"]);
  expect(searchTerms("ABCD")).toEqual(["abc", "bcd"]);
  expect(searchTerms("ab")).toEqual([]);
});
