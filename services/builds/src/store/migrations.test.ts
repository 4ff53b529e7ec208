import { migrations } from "./migrations.js";
import { textOfTags } from "./selection.js";

const { missing } = migrations.find(({ name }) => name === "builds-tag-text")!.fills!;
const tags = [{ name: "a" }, { name: "b" }];
const tagText = textOfTags(tags);

it("the text of tags is filled in, brought up to date, and emptied if the last tag is gone", () => {
  expect(missing({ tags })).toEqual({ tagText });
  expect(missing({ tags, tagText: textOfTags([{ name: "a" }]) })).toEqual({ tagText });
  expect(missing({ tags, tagText })).toBeUndefined();
  expect(missing({ tags: [], tagText })).toEqual({ tagText: "" });
  expect(missing({ tags: [] })).toBeUndefined();
});

it("a tag cannot pass for two", () => {
  const text = textOfTags([{ name: `a${tagText![0]}b` }]);
  expect(text).not.toBe(tagText);
  expect(text).toHaveLength(tagText!.length);
});
