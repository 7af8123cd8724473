/*
 * Tables of markup with the role and name that its element `t` must have.
 *
 * A case: {html, role?, name?}, or with `each`, once for every word in place of `$`. `ours` with `differs` marks an
 * intended difference of the product, and its reason.
 */
import { readFileSync } from 'node:fs';

export function readCases(name) {
  const table = JSON.parse(readFileSync(new URL(`../cases/${name}.json`, import.meta.url), 'utf8'));
  const filled = (value, word) => (typeof value === 'string' ? value.replaceAll('$', () => word) : value);
  // `</a href='#'>` closes an <a>.
  const closed = (html) => html.replace(/<\/([a-z0-9]+) [^>]*>/g, '</$1>');
  return table.cases.flatMap((one) =>
    (one.each ?? ['']).map((word) => {
      const made = Object.fromEntries(
        Object.entries(one)
          .filter(([key]) => key !== 'each')
          .map(([key, value]) => [key, one.each ? filled(value, word) : value]),
      );
      return { ...made, html: closed(made.html) };
    }),
  );
}

/** Maps the sources' different words to one. */
export function sameRole(role) {
  if (!role) return 'generic';
  return { image: 'img', presentation: 'none', directory: 'list', sectionheader: 'generic', sectionfooter: 'generic' }[role] ?? role;
}

/** Describes how `given` differs from the case: '' if it does not. */
export function difference(one, given) {
  const wrong = [];
  const role = one.ours ?? one.role;
  if (one.role !== undefined && sameRole(given.role) !== sameRole(role)) wrong.push(`role ${given.role || '(none)'}, not ${role}`);
  if (one.name !== undefined && given.name !== (one.oursName ?? one.name))
    wrong.push(`name “${given.name}”, not “${one.oursName ?? one.name}”`);
  return wrong.join('; ');
}
