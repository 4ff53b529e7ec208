import { checkOutputs } from "./_masking.js";

test("the mask hides secrets in 10,000 outputs, in every spelling and cut, and shows everything else", () =>
  checkOutputs(20));
