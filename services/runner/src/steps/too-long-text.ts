import { maxPathLength } from "../driver.js";

export const tooLongText = (what: string): string => `the ${what} is longer than ${maxPathLength} characters`;
