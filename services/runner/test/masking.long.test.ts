import { checkOutputs } from "./_masking.js";

test(
  "the mask hides secrets in two hundred thousand outputs, in every spelling and cut, and shows everything else",
  () => checkOutputs(400),
  3_600_000,
);
