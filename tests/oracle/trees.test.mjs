/* Whole pages: gstack's snapshot against Chromium's own tree and Playwright's aria snapshot. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compare, entriesOfChromium, entriesOfPlaywright, entriesOfSnapshot } from './harness/trees.mjs';
import { sides } from './harness/sides.mjs';

/*
 * Intended differences and their reasons. `-` marks what only the oracle lists, `+` what only we list. Any other
 * difference fails.
 */
const ON_PURPOSE = [
  [/^[-+] (img|heading "head")/, 'what is in a button or link is part of that name'],
  [/^- figure$|^\+ figure "/, 'a caption names its figure (Playwright thinks so too)', 'Chromium'],
  [/^[-+] video/, 'a player is listed by its own name; Chromium lists what it shows, Playwright nothing'],
  [/^- (Abbr|DescriptionList|MathMLIdentifier|SvgRoot|Layout)/, 'not a role of ARIA', 'Chromium'],
  [/^\+ (table|row|cell "layout only")$/, 'a table is one, however it is used', 'Chromium'],
  [/^\+ textbox "Editor"$/, 'an editable region is a text field to who wants to write in it'],
  [/^\+ button "Inner button"$/, 'frames are part of the page'],
  [/^\+ link "area"$/, 'an area of an image map is a link where it stands in the page'],
  [/^[-+] iframe/, 'a frame has its name', 'Playwright'],
  [
    /^\+ button "(Ingredients|How\?|More|Opened|sum head)"$|^\+ group$/,
    'a <summary> is a button to who wants to open it; its <details> and a named group are listed',
    'Playwright',
  ],
  [/^\+ (form|canvas)$/, 'HTML-AAM has the role', 'Playwright'],
  [/^\+ option/, 'options in groups are options', 'Playwright'],
  [/^- button "Inert"$/, 'what is inert is out of reach', 'Playwright'],
  [/^- complementary$|^\+ region "T"$/, 'as Chromium: an <aside> in a section is one only with a name; a title is a name', 'Playwright'],
  [
    /^[-+] (button "a ?b"|link "x ?y"|button( "Submit")?)$/,
    'as Chromium: inline elements are joined without a space, a picture has one; an empty value is a value',
    'Playwright',
  ],
];

/** The minimum number of lines that each oracle shares with us: raise it when it rises. */
const FLOORS = {
  'shop.html': { Chromium: 74, Playwright: 71 },
  'mail.html': { Chromium: 61, Playwright: 61 },
  'article.html': { Chromium: 60, Playwright: 59 },
  'form20.html': { Chromium: 25, Playwright: 24 },
  'roles.html': { Chromium: 103, Playwright: 98 },
  'edges.html': { Chromium: 115, Playwright: 108 },
};

describe('whole pages', () => {
  const both = sides();

  for (const page of Object.keys(FLOORS)) {
    test(page, async () => {
      await both.gstack.run('goto', both.site.url(page));
      await both.oracle.page.goto(both.site.url(page));
      const ours = entriesOfSnapshot(await both.gstack.run('snapshot'));
      const session = await both.oracle.page.context().newCDPSession(both.oracle.page);
      const oracles = {
        Chromium: await entriesOfChromium(session),
        Playwright: entriesOfPlaywright(await both.oracle.page.locator('body').ariaSnapshot()),
      };
      for (const [name, theirs] of Object.entries(oracles)) {
        const { same, missing, extra } = compare(ours, theirs);
        const differences = [...missing.map((one) => `- ${one}`), ...extra.map((one) => `+ ${one}`)];
        const unexplained = differences.filter(
          (one) => !ON_PURPOSE.some(([pattern, , only]) => pattern.test(one) && (only ?? name) === name),
        );
        console.log(`${page}: ${same}/${theirs.length} as ${name}, ${differences.length - unexplained.length} lines differ on purpose`);
        assert.deepEqual(unexplained, [], `${page}: every difference to ${name} has a reason`);
        assert.ok(same >= FLOORS[page][name], `${page}: ${same} lines as ${name}, it was ${FLOORS[page][name]}`);
      }
    });
  }
});
