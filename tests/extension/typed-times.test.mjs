/** Letters that arrive late: each is inserted where it belongs among the letters typed in the panel. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TypedTimes } from "../../extension/panel/typed-times.js";

const letter = (timeStamp) => ({ inputType: "insertText", data: "x", timeStamp: timeStamp - performance.timeOrigin });

test("a letter that comes late stands before those that were typed after it", () => {
  const times = new TypedTimes();
  for (const at of [10, 20, 40, 50]) times.input(letter(at));
  assert.equal(times.since(30), 2);
  times.note(30);
  assert.equal(times.since(15), 4, "it counts for the next one");
  assert.deepEqual([times.since(50), times.since(60)], [0, 0]);
});

test("what counts is when a key was pressed, not when the panel came to it", () => {
  const times = new TypedTimes();
  const press = (pressed, handled) => {
    times.key({ timeStamp: pressed - performance.timeOrigin });
    return times.input(letter(handled));
  };
  assert.deepEqual([press(10, 110), press(20, 120)], [0, 0]);
  assert.equal(times.since(15), 1, "the panel was busy when both were pressed");
  times.note(40);
  assert.equal(press(30, 130), 1, "one that was pressed after it stands before it");
  assert.equal(times.since(25), 2);
});

test("what is not a typed letter, and a caret that moved, forget the times", () => {
  const times = new TypedTimes();
  times.input(letter(10));
  times.input({ inputType: "deleteContentBackward", data: null, timeStamp: 20 });
  assert.equal(times.since(5), 0);
  times.input(letter(30));
  times.forget();
  assert.equal(times.since(5), 0);
});
