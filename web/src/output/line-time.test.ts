import { timeQueue, withoutTimes } from "./line-time.js";

const time = (nth: number) => `2026-03-01T12:00:00.00${nth}Z`;

test("times are taken from the beginnings of lines, not from text that looks like one", () => {
  const text = `${time(1)} one\n${time(2)} \n${time(3)} ${time(4)} said\n${time(5)} la`;
  expect(withoutTimes(text, false)).toEqual({
    text: `one\n\n${time(4)} said\nla`,
    times: [time(1), time(2), time(3), time(5)],
  });
  expect(withoutTimes(`${time(1)} st\n`, true)).toEqual({ text: `${time(1)} st\n`, times: [] });
  expect(withoutTimes(`st\n${time(1)} next`, false)).toEqual({ text: "st\nnext", times: ["", time(1)] });
});

test("a line gets its time when it is drawn, however the text is cut", () => {
  const queue = timeQueue();
  expect(queue.take("old\nbe", false)).toBe("old\nbe");
  expect(queue.take(`gun\n${time(1)} o`, true)).toBe("gun\no");
  expect(queue.take(`ne\n${time(2)} two\n${time(3)} three`, true)).toBe("ne\ntwo\nthree");
  const drawn = Array.from({ length: 5 }, () => {
    const current = queue.current();
    queue.next();
    return current;
  });
  expect(drawn).toEqual([undefined, undefined, time(1), time(2), time(3)]);
});

test("after a restart the next text begins a line or continues one", () => {
  const queue = timeQueue();
  queue.take(`${time(1)} one\n${time(2)} two`, true);
  queue.restart(true);
  expect(queue.take(`two\n${time(3)} three`, true)).toBe("two\nthree");
  expect(queue.current()).toBeUndefined();
  queue.next();
  expect(queue.current()).toBe(time(3));
  queue.restart(false);
  queue.take(`${time(4)} four`, true);
  expect(queue.current()).toBe(time(4));
});
