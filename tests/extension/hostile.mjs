/** An answer that repeats a hostile page. Each block is an attack; the last words are at its very end. */

/** Nothing listens there. */
export const ELSEWHERE = "http://127.0.0.1:9";
const OWN = "document.title='owned'";

/** Blocks that may be slow or deeply nested for a parser: none of them may block what follows. */
const SLOW = [
  ">".repeat(10_000),
  Array.from({ length: 4000 }, () => ">").join(" "),
  `${"- ".repeat(3900)}x`,
  "[".repeat(8000),
  "![".repeat(4000),
  "[a](".repeat(2000),
  "*a ".repeat(2500),
  "*a_ ".repeat(2000),
  `${"*".repeat(4000)}x${"*".repeat(4000)}`,
  Array.from({ length: 120 }, (_, length) => `e${"`".repeat(length)}`).join(""),
  "<".repeat(8000),
  "a <!-- ".repeat(1000),
  "&".repeat(8000),
  `\`\`\`${" ".repeat(7000)}\``,
  `a|\n-${" ".repeat(7000)}x`,
  `|${"a|".repeat(3500)}\n|${"-|".repeat(3500)}\n|b|`,
  `-${" ".repeat(7000)}-x`,
  "\u202e\u2066".repeat(4000),
];

const answer = (blocks) => `${blocks.join("\n\n")}\n\nThe very end.`;

export const HOSTILE = answer([
  `<script>${OWN}</script>`,
  `<img src="${ELSEWHERE}/a.png" onerror="${OWN}">`,
  `a <b onmouseover="${OWN}" style="position:fixed;inset:0">b</b>`,
  `<svg onload="${OWN}"><a href="javascript:${OWN}"><text>c</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${OWN}"></style></table></mtext></math>`,
  `<iframe srcdoc="<script>top.${OWN}</script>"></iframe><object data="${ELSEWHERE}/o"></object><embed src="${ELSEWHERE}/e">`,
  `<form action="${ELSEWHERE}/f"><input name="password"><textarea></textarea><select></select><button>Allow</button></form>`,
  `<link rel="stylesheet" href="${ELSEWHERE}/l.css"><style>@import "${ELSEWHERE}/s.css"</style>` +
    `<meta http-equiv="refresh" content="0;${ELSEWHERE}/m"><base href="${ELSEWHERE}/">`,
  `<template><script>${OWN}</script></template><details open ontoggle="${OWN}"><summary>d</summary></details>`,
  `![a tracker](${ELSEWHERE}/t.png) [![in a link](${ELSEWHERE}/u.png)](https://example.com/)`,
  `[one](javascript:${OWN}) [two](JaVaScRiPt:${OWN}) [three](java&#10;script:${OWN}) [four](&#x6A;avascript:${OWN})`,
  `[five](<java\tscript:${OWN}>) <javascript:${OWN}> [six](data:text/html,<script>${OWN}</script>) ` +
    "[seven](data:text/html;base64,PHNjcmlwdD4=)",
  `[eight](file:///etc/passwd) [nine](chrome://settings) [ten](blob:https://example.com/a) [eleven](vbscript:x) [twelve][r]`,
  `[r]: javascript:${OWN}`,
  `[thirteen](https://example.com/"onclick="${OWN}) [fourteen](https://example.com '"><script>${OWN}</script>')`,
  `\`\`\`"><script>${OWN}</script>\n</code></pre><script>${OWN}</script>\n\`\`\``,
  `# a {onclick=${OWN}}`,
  `| <script>${OWN}</script> | b |\n|---|:-:|\n| <img src=x onerror=${OWN}> | c |`,
  `<?php ${OWN} ?> <![CDATA[ <script>${OWN}</script> ]]> <!DOCTYPE x> <!-- --><script>${OWN}</script>`,
  `[\u202egnp.exe](https://example.com/) and what follows`,
  `- [x] <input type="password" autofocus onfocus="${OWN}">`,
]);
export const HEAVY = answer(SLOW);
