/*
 * Draws the pictures of a recording with the words beneath them, and encodes them: as VP8 by WebCodecs where the document
 * may use it (a secure one), else each as a WebP file, whose picture is one of VP8 too.
 *
 * Runs in an empty document of its own, in an isolated world, and defines `gstackVideo` there. Sends nothing anywhere.
 */

(() => {
  /* In bits a second, for each pixel and picture a second. Text stays readable. */
  const BITS = 0.12;
  const LEAST_BITRATE = 250_000;
  const MOST_BITRATE = 8_000_000;
  /* 1 would be without losses, which is another format. */
  const WEBP_QUALITY = 0.8;
  /* More at once than a function takes as arguments would fail. */
  const PART = 0x8000;

  /** @typedef {{ at: number, isKey: boolean, words: string, picture: string | null }} SentShot */
  /** @typedef {{ at: number, isKey: boolean, data: string }} Encoded */

  /** @type {OffscreenCanvas} */
  let canvas;
  /** @type {OffscreenCanvasRenderingContext2D} */
  let brush;
  /** @type {ImageBitmap | undefined} */
  let shown;
  /** @type {VideoEncoder | undefined} */
  let encoder;
  /** @type {Encoded[]} */
  let done = [];
  /** @type {Error | undefined} */
  let failure;
  /* The last WebP file, where the next picture is the same. */
  let last = '';

  /** @param {string} text base64 */
  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  /** @param {Uint8Array} bytes */
  function textOf(bytes) {
    let text = '';
    for (let at = 0; at < bytes.length; at += PART) text += String.fromCharCode(...bytes.subarray(at, at + PART));
    return btoa(text);
  }

  /** @param {string} picture */
  const opened = (picture) => createImageBitmap(new Blob([bytesOf(picture)], { type: 'image/jpeg' }));

  /** @param {number} side */
  const even = (side) => Math.max(2, side - (side % 2));

  /** @param {EncodedVideoChunk} chunk */
  function keep(chunk) {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    done.push({ at: Math.round(chunk.timestamp / 1000), isKey: chunk.type === 'key', data: textOf(bytes) });
  }

  /** @param {number} fps */
  async function openEncoder(fps) {
    if (!('VideoEncoder' in globalThis)) return;
    const { width, height } = canvas;
    const bitrate = Math.min(MOST_BITRATE, Math.max(LEAST_BITRATE, Math.round(width * height * fps * BITS)));
    /** @type {VideoEncoderConfig} */
    const config = { codec: 'vp8', width, height, framerate: fps, bitrate, hardwareAcceleration: 'prefer-software' };
    const { supported } = await VideoEncoder.isConfigSupported(config);
    if (!supported) return;
    encoder = new VideoEncoder({ output: keep, error: (error) => (failure = error) });
    encoder.configure(config);
  }

  /**
   * Without a size the video has that of the first picture.
   * → whether pictures come out as files, and the size
   * @param {string} first
   * @param {[number, number] | null} size
   * @param {number} fps
   */
  async function begin(first, size, fps) {
    const picture = await opened(first);
    canvas = new OffscreenCanvas(even(size?.[0] ?? picture.width), even(size?.[1] ?? picture.height));
    picture.close();
    const made = canvas.getContext('2d', { alpha: false });
    if (!made) throw new Error('there is no canvas');
    brush = made;
    await openEncoder(fps);
    return { asFiles: !encoder, width: canvas.width, height: canvas.height };
  }

  /** @param {string} words */
  function draw(words) {
    const { width, height } = canvas;
    brush.fillStyle = '#000';
    brush.fillRect(0, 0, width, height);
    if (shown) {
      const scale = Math.min(width / shown.width, height / shown.height);
      const [wide, high] = [shown.width * scale, shown.height * scale];
      brush.drawImage(shown, (width - wide) / 2, (height - high) / 2, wide, high);
    }
    if (!words) return;
    const size = Math.max(12, Math.round(height / 32));
    const bar = Math.round(size * 2);
    brush.fillStyle = 'rgb(20 20 24 / 0.82)';
    brush.fillRect(0, height - bar, width, bar);
    brush.fillStyle = '#fff';
    brush.font = `${size}px system-ui, sans-serif`;
    brush.textAlign = 'center';
    brush.textBaseline = 'middle';
    brush.fillText(words, width / 2, height - bar / 2, width - size * 2);
  }

  /** @param {SentShot} shot @param {boolean} isSame */
  async function encode({ at, isKey }, isSame) {
    if (encoder) {
      const frame = new VideoFrame(canvas, { timestamp: at * 1000 });
      encoder.encode(frame, { keyFrame: isKey });
      frame.close();
      return;
    }
    if (!isSame || !last) {
      const file = await canvas.convertToBlob({ type: 'image/webp', quality: WEBP_QUALITY });
      last = textOf(new Uint8Array(await file.arrayBuffer()));
    }
    done.push({ at, isKey: true, data: last });
  }

  let before = '';

  /**
   * Encodes some pictures. One without a picture of its own shows the one before.
   * → what came out
   * @param {SentShot[]} shots
   */
  async function add(shots) {
    for (const shot of shots) {
      const isSame = shot.picture === null && shot.words === before;
      if (shot.picture !== null) {
        shown?.close();
        shown = await opened(shot.picture);
      }
      before = shot.words;
      if (!isSame) draw(shot.words);
      await encode(shot, isSame);
    }
    await encoder?.flush();
    if (failure) throw failure;
    const all = done;
    done = [];
    return all;
  }

  Object.assign(globalThis, { gstackVideo: { begin, add } });
})();
