"""browser-use without a model, at the DevTools address $ADDRESS: does the steps that it reads (program.mjs)."""

import asyncio
import json
import os
import sys

from browser_use import BrowserSession
from browser_use.browser.events import ClickElementEvent, TypeTextEvent

SHOP = os.environ["SHOP"]
session = BrowserSession(cdp_url=os.environ["ADDRESS"])


async def elements(wanted):
    """Returns the page's elements by id, once it has this one: a click returns before the next page is there."""
    while True:
        seen = await session.get_browser_state_summary(include_screenshot=False)
        found = {node.attributes.get("id"): node for node in seen.dom_state.selector_map.values()}
        if wanted in found:
            return found
        await asyncio.sleep(0.1)


async def act(event):
    sent = session.event_bus.dispatch(event)
    await sent
    await sent.event_result(raise_if_any=True, raise_if_none=False)


async def tabs():
    return [tab.url for tab in await session.get_tabs()]


async def login():
    await session.navigate_to(f"{SHOP}/")
    form = await elements("enter")
    await act(TypeTextEvent(node=form["name"], text="Hedy"))
    await act(TypeTextEvent(node=form["password"], text="frequency"))
    await act(ClickElementEvent(node=form["enter"]))
    await elements("pay")
    page = await session.must_get_current_page()
    return await page.evaluate("() => document.title")


async def order():
    form = await elements("street")
    await act(TypeTextEvent(node=form["street"], text="Harbour 6"))
    await act(ClickElementEvent(node=form["save"]))
    page = await session.must_get_current_page()
    while not (said := await page.evaluate("() => document.querySelector('#said').textContent")):
        await asyncio.sleep(0.1)
    return said


async def picture():
    page = await session.must_get_current_page()
    return await page.screenshot()


async def again():
    await session.navigate_to(f"{SHOP}/?again")


STEPS = {
    "start": session.start,
    "tabs": tabs,
    "login": login,
    "order": order,
    "picture": picture,
    "again": again,
    "end": session.stop,
}


async def main():
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while step := (await lines.readline()).decode().strip():
        try:
            answer = {"value": await STEPS[step]()}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print("answer", json.dumps(answer), flush=True)


asyncio.run(main())
