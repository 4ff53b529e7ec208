import { checkOutputs } from "./_masking.js";

test(
  "the mask hides secrets in half a million outputs, in every spelling and cut, and shows everything else",
  () => checkOutputs(1_000),
  3_600_000,
);
