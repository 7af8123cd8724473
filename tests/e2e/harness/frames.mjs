/*
 * Native messaging frames as Chrome writes and reads them, for tests that stand in Chrome's place.
 */
import { endianness } from 'node:os';
import { within } from './wait.mjs';

const little = endianness() === 'LE';

/** A length and its bytes, without a check: tests lie about the length too. */
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
      this.#messages.push(JSON.parse(this.#buffer.subarray(4, 4 + length).toString()));
      this.#buffer = this.#buffer.subarray(4 + length);
    }
    this.#wake();
  }

  /** The first message that fits; the ones before it are dropped. */
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

  /** Whatever bytes came that are no whole message. */
  get rest() {
    return this.#buffer;
  }
}
