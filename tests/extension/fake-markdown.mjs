/**
 * Just enough Markdown for the scenarios, in the shape that the daemon's renderer gives. Raw HTML is text in it.
 */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const inline = (text) =>
  escape(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');

function table(lines) {
  const cells = (line) =>
    line
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim());
  const aligns = cells(lines[1]).map((cell) => (cell.endsWith(":") ? ' style="text-align: right"' : ""));
  const row = (line, tag) =>
    `<tr>${cells(line)
      .map((cell, index) => `<${tag}${aligns[index]}>${inline(cell)}</${tag}>`)
      .join("")}</tr>`;
  return `<table><thead>${row(lines[0], "th")}</thead><tbody>\n${lines
    .slice(2)
    .map((line) => row(line, "td"))
    .join("\n")}\n</tbody></table>`;
}

/** @param {string} block @returns {string} */
export function render(block) {
  const lines = block.split("\n");
  const fence = /^```(\S*)/.exec(lines[0]);
  if (fence)
    return `<pre><code${fence[1] ? ` class="language-${fence[1]}"` : ""}>${escape(lines.slice(1, lines.at(-1).startsWith("```") ? -1 : undefined).join("\n"))}\n</code></pre>`;
  const heading = /^(#+) (.*)/.exec(lines[0]);
  if (heading) return `<h${heading[1].length}>${inline(heading[2])}</h${heading[1].length}>`;
  if (lines[0].startsWith("|")) return table(lines);
  const item = /^(?:[-*]|(\d+)\.) /;
  if (item.test(lines[0])) {
    const number = item.exec(lines[0])[1];
    const tag = number ? "ol" : "ul";
    const start = number && number !== "1" ? ` start="${number}"` : "";
    return `<${tag}${start}>\n${lines
      .filter((line) => item.test(line))
      .map((line) => `<li>${inline(line.replace(item, ""))}</li>`)
      .join("\n")}\n</${tag}>`;
  }
  return `<p>${inline(block)}</p>`;
}
