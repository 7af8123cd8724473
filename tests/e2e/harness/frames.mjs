/* Native messaging frames as Chrome writes and reads them, for tests that play Chrome. */
import { endianness } from 'node:os';
import { within } from './wait.mjs';

const little = endianness() === 'LE';

/** Builds a length and its bytes without a check, because tests also send wrong lengths. */
export function frame(message, length = undefined) {
  const body = Buffer.isBuffer(message) ? message : Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  const header = Buffer.alloc(4);
  if (little) header.writeUInt32LE(length ?? body.length);
  else header.writeUInt32BE(length ?? body.length);
  return Buffer.concat([header, body]);
}

/** Reads messages from a stream, one after the other. */
export class Frames {
  #buffer = Buffer.alloc(0);
  #messages = [];
  #wake = () => {};
  #each = null;
  ended = false;

  constructor(stream) {
    stream.on('data', (data) => this.#take(data));
    stream.on('end', () => {
      this.ended = true;
      this.#wake();
    });
  }

  #take(data) {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    while (this.#buffer.length >= 4) {
      const length = little ? this.#buffer.readUInt32LE() : this.#buffer.readUInt32BE();
      if (this.#buffer.length < 4 + length) break;
      const message = JSON.parse(this.#buffer.subarray(4, 4 + length).toString());
      this.#buffer = this.#buffer.subarray(4 + length);
      if (this.#each) this.#each(message);
      else this.#messages.push(message);
    }
    this.#wake();
  }

  /** Gives every message to `take` as it arrives; `next` gets none any more. */
  each(take) {
    this.#each = take;
    for (const message of this.#messages.splice(0)) take(message);
  }

  /** Returns the first matching message and drops earlier ones. */
  next(fits = () => true, words = 'a message of the host') {
    const read = async () => {
      for (;;) {
        while (this.#messages.length > 0) {
          const message = this.#messages.shift();
          if (fits(message)) return message;
        }
        if (this.ended) throw new Error(`the host ended before ${words}`);
        await new Promise((resolve) => {
          this.#wake = resolve;
        });
      }
    };
    return within(read(), `${words} did not come`);
  }

  /** The received bytes that are not a complete message. */
  get rest() {
    return this.#buffer;
  }
}
