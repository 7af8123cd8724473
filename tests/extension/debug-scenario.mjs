/**
 * A page with past work, for the debug drawer: its activity, its refs and one element's styling.
 *
 * Owns the data; the fake host serves it. `style` really changes the result of `inspect`.
 */

const AT = Date.parse("2026-03-02T14:02:11Z");
const entry = (id, source, command, args, durationMs, result = "", outcome = "ok") => ({
  id,
  at: AT + id * 900,
  source,
  command,
  args,
  outcome,
  durationMs,
  result,
});

const ACTIVITY = [
  entry(1, "agent", "goto", ["http://localhost:5173/cart"], 412, "Navigated to http://localhost:5173/cart (200)"),
  entry(2, "agent", "snapshot", ["-i"], 31, "23 refs"),
  entry(3, "agent", "fill", ["@e7", "SPRING10"], 96),
  entry(4, "agent", "click", ["@e8"], 304, "Clicked @e8 → now at http://localhost:5173/cart"),
  entry(
    5,
    "agent",
    "click",
    ["@e22"],
    5000,
    '@e22 was not ready for a click within 5 s: it is covered by <div class="cookie-banner">',
    "failed",
  ),
  entry(6, "agent", "cleanup", ["--overlays"], 58, "Cleaned up: 1 overlays"),
  entry(7, "agent", "fill", ["@e3", "[redacted, 19 chars]"], 88),
  entry(8, "terminal", "text", ["main"], 12, "412 words"),
  entry(9, "terminal", "wait", ["text=Order placed", "15000"], 15000, "text=Order placed did not appear within 15 s", "failed"),
  { ...entry(10, "agent", "js", ["await priceCart(24)"]), outcome: "running", durationMs: undefined },
];

const REFS = [
  ["@e1", "link", "Halden Store"],
  ["@e2", "link", "Kitchen"],
  ["@e4", "searchbox", "Search products"],
  ["@e5", "spinbutton", "Quantity, Linen apron"],
  ["@e7", "textbox", "Coupon code"],
  ["@e8", "button", "Apply"],
  ["@e9", "button", "Remove Linen apron"],
  ["@e22", "button", "Checkout"],
  ["@c1", "onclick", "Product card"],
].map(([ref, role, name]) => ({ ref, role, name }));

const PICKED = {
  ref: "@e8",
  role: "button",
  name: "Apply",
  selector: "button.apply",
  url: "http://localhost:5173/cart",
  rect: [1084, 185, 112, 40],
  html: '<button class="apply">Apply</button>',
};

const declaration = (name, value, overridden = false, important = false) => ({ name, value, important, overridden });

function inspection(inline) {
  const has = (name) => inline.some(([known]) => known === name);
  const rules = [
    ...(inline.length > 0
      ? [
          {
            selector: "element.style",
            specificity: null,
            origin: "inline",
            conditions: [],
            source: "",
            declarations: inline.map(([name, value]) => declaration(name, value)),
          },
        ]
      : []),
    {
      selector: ".coupon .apply",
      specificity: [0, 2, 0],
      origin: "page",
      conditions: ["@media (min-width: 600px)"],
      source: "cart.css:88",
      declarations: [
        declaration("padding", "7px 16px", has("padding")),
        declaration("color", "rgb(30, 58, 52)", has("color")),
        declaration("border", "1px solid currentcolor"),
      ],
    },
    {
      selector: "button",
      specificity: [0, 0, 1],
      origin: "page",
      conditions: ["@layer base"],
      source: "base.css:14",
      declarations: [declaration("color", "#2b2a27", true), declaration("padding", "4px 8px", true), declaration("font", "inherit")],
    },
    {
      selector: "button",
      specificity: [0, 0, 1],
      origin: "user-agent",
      conditions: [],
      source: "",
      declarations: [declaration("cursor", "default"), declaration("padding", "1px 6px", true)],
    },
  ];
  const computed = {
    "border-radius": "6px",
    color: "rgb(30, 58, 52)",
    cursor: "pointer",
    display: "inline-block",
    "font-weight": "600",
    "padding-left": "16px",
    "padding-top": "7px",
  };
  return {
    element: '<button class="apply">',
    rules,
    computed,
    box: { x: 1084, y: 185, width: 70, height: 24, padding: [7, 20, 7, 20], border: [1, 1, 1, 1], margin: [0, 0, 0, 12] },
  };
}

/** @param {object} base */
export function debugScenario(base) {
  const inline = [];
  let follow = () => {};
  const command = (name, args, fault) => {
    if (name === "inspect") return { output: "", data: inspection(inline) };
    if (name === "style" && args[0] === "--undo") {
      if (inline.length === 0) throw fault("not-found", "there is no modification to revert");
      inline.pop();
      return { output: "Reverted last modification" };
    }
    if (name === "style") {
      if (args[2] === "nonsense") throw fault("element", "nonsense is not a value of this property");
      inline.push([args[1], args[2]]);
    }
    follow({ ...entry(11, "panel", name, args), outcome: "ok", durationMs: 12 });
    return { output: `${name}: ok` };
  };
  return {
    ...base,
    activity: ACTIVITY,
    refs: REFS,
    picked: PICKED,
    command,
    followed: (tell) => {
      follow = tell;
    },
  };
}
