#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: A canvas that is recorded for 5 s by `captureStream` and MediaRecorder gives a video of 5 s, also if nothing moves for the last 4.
# Seen: A canvas makes a frame only when it is drawn to, and the file ends with its last frame: it is about 1 s long. A still beginning is
#   kept and a still middle too, as the next frame has its true time; only the end is lost.
# Matters: Recordings of screens end before the result that they were made to show ("saved", an error message), and times that are read off
#   the video's length are too short. Draw the last picture once more right before `stop()`, which restores the full length.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >record.mjs <<'EOF'
import { chromium } from 'playwright-core';
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
for (const kind of ['moving', 'still end', 'still start', 'redrawn']) {
  const seconds = await page.evaluate(async (kind) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 120 });
    document.body.replaceChildren(canvas);
    const context = canvas.getContext('2d');
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    let hue = 0;
    const draw = () => {
      context.fillStyle = `hsl(${(hue += 20)} 90% 50%)`;
      context.fillRect(0, 0, canvas.width, canvas.height);
    };
    const move = async (ms) => {
      for (const end = performance.now() + ms; performance.now() < end; await wait(50)) draw();
    };
    draw();
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm;codecs=vp8' });
    const chunks = [];
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    recorder.start();
    if (kind === 'still start') {
      draw();
      await wait(4000);
    }
    await move(kind === 'moving' ? 5000 : 1000);
    if (kind === 'still end' || kind === 'redrawn') await wait(4000);
    if (kind === 'redrawn') {
      draw();
      await wait(300);
    }
    const stopped = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.stop();
    await stopped;
    const video = Object.assign(document.createElement('video'), { src: URL.createObjectURL(new Blob(chunks)) });
    await new Promise((resolve) => (video.onloadedmetadata = resolve));
    return video.duration;
  }, kind);
  console.log(`${kind}: ${seconds < 3 ? 'below' : 'above'} 3 s (${seconds.toFixed(1)})`);
}
process.exit();
EOF
chromium_start
node record.mjs "$cdp" >seen.txt
cat seen.txt
seen() { sed -n "s/^$1: \(.*\) (.*/\1/p" seen.txt; }
expect "5 s that move" "above 3 s" "$(seen moving)"
expect "1 s that moves, 4 s that do not" "below 3 s" "$(seen 'still end')"
expect "4 s that do not move, 1 s that does" "above 3 s" "$(seen 'still start')"
expect "the still end, drawn once more" "above 3 s" "$(seen redrawn)"
finish
